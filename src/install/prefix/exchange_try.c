/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "install/io/rename.h"
#include "install/io/tree.h"
#include "install/prefix/exchange.h"
#include "install/prefix/stage.h"

/* Of file systems that stand on others: there a directory may be one that cannot be renamed. */
static bool is_layered(int fd)
{
    struct statfs system;
    if (fstatfs(fd, &system) != 0)
        return false;
    return (unsigned long)system.f_type == OVERLAYFS_SUPER_MAGIC ||
           (unsigned long)system.f_type == FUSE_SUPER_MAGIC;
}

static bool try_exchange(const struct prefix *prefix, const char *one, const char *other)
{
    return rename_exchange(prefix->parent_fd, one, prefix->parent_fd, other) == 0;
}

/* Onto a directory that is not empty nothing can be renamed: that it is refused for this reason,
 * and not before for another, says that the prefix could be moved. errno tells. */
static bool try_moving(const struct prefix *prefix, const char *one)
{
    AUTO_FREE char *within = mem_printf("%s/within", one);
    if (mkdirat(prefix->parent_fd, within, 0700) != 0)
        return false;
    if (renameat(prefix->parent_fd, prefix->name, prefix->parent_fd, one) != 0)
        return errno == ENOTEMPTY || errno == EEXIST;
    renameat(prefix->parent_fd, one, prefix->parent_fd, prefix->name);
    errno = EXDEV;
    return false;
}

static char *try_all(const struct prefix *prefix, const char *one, const char *other)
{
    if (mkdirat(prefix->parent_fd, one, 0700) != 0 || mkdirat(prefix->parent_fd, other, 0700) != 0)
        return mem_printf("no directory can be created next to the prefix: %s", strerror(errno));
    if (!try_exchange(prefix, one, other))
        return mem_printf("directories cannot be exchanged there: %s", strerror(errno));
    if (is_layered(prefix->parent_fd) && !try_moving(prefix, one))
        return mem_printf("the prefix cannot be renamed there: %s", strerror(errno));
    return NULL;
}

char *exchange_why_not(const struct prefix *prefix)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *one = stage_name(prefix, &error);
    AUTO_FREE char *other = stage_name(prefix, &error);
    if (one == NULL || other == NULL)
        return mem_string(error.what);
    char *why = try_all(prefix, one, other);
    tree_remove(prefix->parent_fd, one, prefix->path, NULL);
    tree_remove(prefix->parent_fd, other, prefix->path, NULL);
    return why;
}
