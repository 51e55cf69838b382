/* SPDX-License-Identifier: MIT */
#include "host/local/local.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "host/root/bytes.h"
#include "host/root/input.h"

static bool read_all(int fd, const char *path, size_t max, struct text *ret_text,
                     struct error *error)
{
    AUTO_TEXT struct text text = {0};
    size_t enough = max < SIZE_MAX ? max + 1 : max;
    int number = bytes_read(fd, enough, &text);
    while (number == EAGAIN && bytes_wait(fd))
        number = bytes_read(fd, enough - text.size, &text);
    if (number != 0)
        return error_set_errno(error, ERROR_NO_INPUT, number, path, "cannot read");
    if (text.size > max) {
        error_set(error, ERROR_DATA, "cannot read");
        error_where(error, "%s", path);
        return error_why(error, "larger than %zu bytes", max);
    }
    bytes_move(&text, ret_text);
    return true;
}

bool local_read(const char *path, size_t max, struct text *ret_text, struct error *error)
{
    int given = string_equal(path, "-") ? STDIN_FILENO : standard_descriptor(path);
    if (given >= 0)
        return read_all(given, string_equal(path, "-") ? "standard input" : path, max, ret_text,
                        error);
    AUTO_CLOSE int fd = -1;
    return input_open(path, &fd, error) && read_all(fd, path, max, ret_text, error);
}

bool local_is_missing(const char *path)
{
    struct stat status;
    return stat(path, &status) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

char *local_program(void)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (length <= 0)
        return NULL;
    path[length] = '\0';
    return mem_string(path);
}

char *local_program_directory(void)
{
    AUTO_FREE char *path = local_program();
    char *slash = path ? strrchr(path, '/') : NULL;
    if (slash == NULL)
        return NULL;
    slash[slash == path] = '\0';
    return mem_steal(&path);
}

char *local_absolute(const char *path)
{
    AUTO_FREE char *directory = path[0] == '/' ? NULL : getcwd(NULL, 0);
    return directory ? mem_printf("%s/%s", directory, path) : mem_string(path);
}
