/* SPDX-License-Identifier: MIT */
#include "host/root/bytes.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

int bytes_read(int fd, size_t max, struct text *text)
{
    char buffer[16384];
    while (max > 0) {
        ssize_t count = read(fd, buffer, max < sizeof(buffer) ? max : sizeof(buffer));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return errno;
        if (count == 0)
            return 0;
        text_append_n(text, buffer, (size_t)count);
        max -= (size_t)count;
    }
    return 0;
}

bool bytes_wait(int fd)
{
    struct stat status;
    struct pollfd more = {.fd = fd, .events = POLLIN};
    if (fstat(fd, &status) != 0 || S_ISREG(status.st_mode))
        return false;
    return poll(&more, 1, -1) >= 0 || errno == EINTR;
}

void bytes_move(struct text *source, struct text *target)
{
    text_free(target);
    *target = *source;
    *source = (struct text){0};
}

/* A pipe or socket that whoever gave it to this process set to O_NONBLOCK, and that is full. */
static bool wait_for_room(int fd)
{
    struct pollfd room = {.fd = fd, .events = POLLOUT};
    return poll(&room, 1, -1) >= 0 || errno == EINTR;
}

bool bytes_write(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t count = write(fd, bytes, size);
        if (count < 0 && (errno == EINTR || (errno == EAGAIN && wait_for_room(fd))))
            continue;
        if (count < 0)
            return false;
        bytes += count;
        size -= (size_t)count;
    }
    return true;
}

/* A file system that is interrupted more often than this does not answer. */
#define SYNC_TRIES 100

static bool sync_by(int (*call)(int), int fd)
{
    for (int tries = 0; tries < SYNC_TRIES; tries++) {
        if (call(fd) == 0)
            return true;
        if (errno != EINTR)
            return false;
    }
    return false;
}

bool bytes_sync(int fd)
{
    return sync_by(fsync, fd);
}

bool bytes_sync_system(int fd)
{
    return sync_by(syncfs, fd);
}
