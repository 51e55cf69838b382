/* SPDX-License-Identifier: MIT */
#ifndef HOST_ROOT_BYTES_H
#define HOST_ROOT_BYTES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Appends what an open file still holds, at most max bytes. Returns 0 or an errno. */
int bytes_read(int fd, size_t max, struct text *text);

/* After EAGAIN of bytes_read(): waits for more of a pipe or a socket that whoever gave it to this
 * process set to O_NONBLOCK. False: it is a file, or cannot be waited for. */
bool bytes_wait(int fd);

/* Replaces target by source, which is empty then. */
void bytes_move(struct text *source, struct text *target);

/* Writes all of bytes, however often write(2) is interrupted or takes less, or a pipe that does not
 * wait (O_NONBLOCK) is full. False: errno tells why. */
bool bytes_write(int fd, const char *bytes, size_t size);

/* fsync(2) of a file, and syncfs(2) of the file system that fd is on, again when a signal
 * interrupts them (NFS and FUSE). False: errno tells why. */
bool bytes_sync(int fd);
bool bytes_sync_system(int fd);

#endif
