/* SPDX-License-Identifier: MIT */
#include "host/root/byte_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "host/root/root.h"

static bool read_file(const struct byte_source *source, uint64_t offset, void *buffer, size_t count,
                      struct error *error)
{
    char *to = buffer;
    while (count > 0) {
        ssize_t got = pread(source->fd, to, count, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set_errno(error, ERROR_NO_INPUT, errno, NULL, "cannot read the file");
        if (got == 0)
            return error_set(error, ERROR_NO_INPUT, "the file became shorter while it was read");
        to += got;
        offset += (uint64_t)got;
        count -= (size_t)got;
    }
    return true;
}

enum host_status byte_file_open(const struct host *host, const char *path,
                                struct byte_source *ret_source, struct error *error)
{
    AUTO_CLOSE int fd = -1;
    enum host_status status = host_open(host, path, &fd, error);
    if (status != HOST_OK)
        return status;
    struct stat stat;
    if (fstat(fd, &stat) < 0)
        return root_fail(error, errno, "read", path);
    /* Headers lie far apart: what is between them is not wanted. */
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
    *ret_source = (struct byte_source){
        .size = (uint64_t)stat.st_size, .read = read_file, .fd = fd_steal(&fd)};
    return HOST_OK;
}

void byte_file_close(struct byte_source *source)
{
    if (source->fd >= 0)
        close(source->fd);
    source->fd = -1;
}
