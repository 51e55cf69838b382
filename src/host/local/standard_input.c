/* SPDX-License-Identifier: MIT */
#include "host/local/standard_input.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of a pipe whose other end was closed nothing comes any more. */
static bool has_bytes(int fd)
{
    int waiting = 0;
    return ioctl(fd, FIONREAD, &waiting) == 0 && waiting > 0;
}

bool standard_input_begins(int wait_ms)
{
    struct stat status;
    if (fstat(STDIN_FILENO, &status) != 0)
        return false;
    if (S_ISREG(status.st_mode))
        return lseek(STDIN_FILENO, 0, SEEK_CUR) < status.st_size;
    if (!S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode))
        return false;
    struct pollfd first = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&first, 1, wait_ms) > 0 && has_bytes(STDIN_FILENO);
}
