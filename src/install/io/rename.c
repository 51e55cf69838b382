/* SPDX-License-Identifier: MIT */
#include "install/io/rename.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* linux/fs.h */
#define NO_REPLACE 1U
#define EXCHANGE   2U

static int rename_with(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
    return (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
}

static bool is_there(int fd, const char *name)
{
    struct stat status;
    return fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
}

static int rename_by_hand(int from_fd, const char *from, int to_fd, const char *to)
{
    if (linkat(from_fd, from, to_fd, to, 0) == 0)
        return unlinkat(from_fd, from, 0);
    if (errno == EEXIST)
        return -1;
    if (is_there(to_fd, to)) {
        errno = EEXIST;
        return -1;
    }
    return renameat(from_fd, from, to_fd, to);
}

int rename_to_new(int from_fd, const char *from, int to_fd, const char *to)
{
    int result = rename_with(from_fd, from, to_fd, to, NO_REPLACE);
    if (result == 0 || (errno != ENOSYS && errno != EINVAL))
        return result;
    return rename_by_hand(from_fd, from, to_fd, to);
}

int rename_exchange(int one_fd, const char *one, int other_fd, const char *other)
{
    return rename_with(one_fd, one, other_fd, other, EXCHANGE);
}
