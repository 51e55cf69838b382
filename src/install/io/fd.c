/* SPDX-License-Identifier: MIT */
#include "install/io/fd.h"

#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/root/bytes.h"

enum error_kind fd_error_kind(int number)
{
    return number == EACCES || number == EPERM ? ERROR_PERMISSION : ERROR_CANNOT_WRITE;
}

bool fd_is_ours(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
           (status.st_uid == geteuid() || status.st_uid == 0) && (status.st_mode & 022) == 0;
}

bool fd_sync_directory(int fd)
{
    return bytes_sync(fd) || errno == EINVAL || errno == EOPNOTSUPP;
}

bool fd_not_confirmed(const char *done, const char *where, struct error *error)
{
    error_set_errno(error, ERROR_CANNOT_WRITE, errno, where,
                    "%s, but the disk did not confirm the change", done);
    return error_next(error, "check the disk (dmesg); after a power cut, check the result");
}

bool fd_read_all(int fd, size_t max, const char *where, struct text *ret_text, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    int number = bytes_read(fd, max < SIZE_MAX ? max + 1 : max, &text);
    if (number != 0)
        return error_set_errno(error, ERROR_NO_INPUT, number, where, "cannot read");
    if (text.size > max) {
        error_set(error, ERROR_DATA, "the file is larger than the limit of %zu bytes", max);
        return error_where(error, "%s", where);
    }
    bytes_move(&text, ret_text);
    return true;
}
