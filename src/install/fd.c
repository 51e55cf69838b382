/* SPDX-License-Identifier: MIT */
#include "install/fd.h"

#include <errno.h>
#include <unistd.h>

enum error_kind fd_error_kind(int number)
{
    return number == EACCES || number == EPERM ? ERROR_PERMISSION : ERROR_CANNOT_WRITE;
}

bool fd_write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

bool fd_sync_directory(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == EOPNOTSUPP;
}

bool fd_read_all(int fd, size_t max, const char *where, struct text *ret_text, struct error *error)
{
    AUTO_FREE char *block = mem_alloc(65536);
    for (;;) {
        ssize_t size = read(fd, block, 65536);
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            return error_set_errno(error, ERROR_NO_INPUT, errno, where, "cannot read");
        if (size == 0)
            return true;
        text_append_n(ret_text, block, (size_t)size);
        if (ret_text->size > max) {
            error_set(error, ERROR_DATA, "it is larger than the %zu bytes that it may have", max);
            return error_where(error, "%s", where);
        }
    }
}
