/* SPDX-License-Identifier: MIT */
#include "host/local/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "host/local/anonymous_file.h"
#include "host/local/local.h"
#include "host/root/file.h"

char *helper_path(const struct host *live)
{
    static const char *const places[] = {"../libexec/gpuenv/" HELPER_NAME, HELPER_NAME};
    AUTO_FREE char *directory = local_program_directory();
    for (size_t i = 0; directory && i < sizeof(places) / sizeof(places[0]); i++) {
        AUTO_FREE char *path = mem_printf("%s/%s", directory, places[i]);
        if (host_can_execute(live, path))
            return mem_steal(&path);
    }
    return NULL;
}

/* A descriptor that stays open over execve(2), at its start. -1: errno tells why. */
static int descriptor_of(const struct text *request)
{
    int fd = anonymous_file_new();
    const char *bytes = text_string(request);
    size_t left = request->size;
    while (fd >= 0 && left > 0) {
        ssize_t written = write(fd, bytes, left);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            close(fd);
            return -1;
        }
        bytes += written;
        left -= (size_t)written;
    }
    if (fd >= 0 && (lseek(fd, 0, SEEK_SET) != 0 || fcntl(fd, F_SETFD, 0) != 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* The request holds the text of --manifest and --lock: it is as long as they are. */
static bool refuse_request(int number, const char *path, size_t size, struct error *error)
{
    bool is_limit = number == EFBIG;
    error_set_errno(error, is_limit ? ERROR_CANNOT_WRITE : ERROR_INTERNAL, number, path,
                    "cannot pass the request to gpuenv-install");
    return is_limit && error_next(error,
                                  "the request has %zu bytes: raise the limit (ulimit -f "
                                  "unlimited), and run the same command again",
                                  size);
}

bool helper_become(const struct host *live, const struct text *request, struct error *error)
{
    AUTO_FREE char *path = helper_path(live);
    if (path == NULL) {
        error_set(error, ERROR_INTERNAL, "this command needs " HELPER_NAME ", which was not found");
        error_why(error, "gpuenv-install is neither beside gpuenv nor in ../libexec/gpuenv");
        return error_next(error,
                          "install gpuenv's package, unpack its tarball, or copy " HELPER_NAME
                          " beside gpuenv; all other commands work without this file");
    }
    AUTO_CLOSE int fd = descriptor_of(request);
    if (fd < 0)
        return refuse_request(errno, path, request->size, error);
    AUTO_FREE char *number = mem_printf("%d", fd);
    char word[] = "--request";
    char *const argv[] = {path, word, number, NULL};
    execv(path, argv);
    return error_set_errno(error, ERROR_INTERNAL, errno, path, "cannot run " HELPER_NAME);
}
