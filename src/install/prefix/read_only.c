/* SPDX-License-Identifier: MIT */
#include "install/prefix/read_only.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/path.h"

/* The mount says so, or what is behind it, such as a read-only subvolume of btrfs. */
static bool is_read_only(int fd)
{
    struct statvfs system;
    return (fstatvfs(fd, &system) == 0 && (system.f_flag & ST_RDONLY) != 0) ||
           (faccessat(fd, ".", W_OK, AT_EACCESS) != 0 && errno == EROFS);
}

/* Mounted for writing, and yet no directory can be made in them for files. */
static bool is_of_kernel(int fd)
{
    static const unsigned long magics[] = {PROC_SUPER_MAGIC, SYSFS_MAGIC, CGROUP_SUPER_MAGIC,
                                           CGROUP2_SUPER_MAGIC, DEVPTS_SUPER_MAGIC};
    struct statfs system;
    if (fstatfs(fd, &system) != 0)
        return false;
    for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
        if ((unsigned long)system.f_type == magics[i])
            return true;
    return false;
}

static bool refuse_kernel(const char *where, const char *what, const char *option,
                          struct error *error)
{
    error_set(error, ERROR_CANNOT_WRITE, "%s", what);
    error_where(error, "%s", where);
    error_why(error, "this is a kernel file system, which cannot store files");
    return error_next(error, "choose another %s", option);
}

/* The nearest directory that is there, from path upwards; path becomes its own. */
static int open_nearest(const struct image *image, char **path)
{
    for (;;) {
        int fd = image_open_directory(image, *path, NULL);
        if (fd >= 0 || string_equal(*path, "/") || (errno != ENOENT && errno != ENOTDIR))
            return fd;
        char *parent = path_parent(*path);
        free(*path);
        *path = parent;
    }
}

static bool refuse(const char *where, const char *what, const char *option, struct error *error)
{
    error_set_errno(error, ERROR_CANNOT_WRITE, EROFS, where, "%s", what);
    return error_next(error, "choose another %s, or mount that file system for writing", option);
}

bool read_only_check_prefix(const struct prefix *prefix, struct error *error)
{
    if (prefix->state == PREFIX_OURS) {
        AUTO_CLOSE int fd = openat(prefix->parent_fd, prefix->name,
                                   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return fd < 0 || !is_read_only(fd) ||
               refuse(prefix->path, "cannot create a directory in the prefix", "--prefix", error);
    }
    AUTO_FREE char *path = prefix_parent(prefix);
    AUTO_CLOSE int fd = open_nearest(prefix->image, &path);
    if (fd >= 0 && is_of_kernel(fd))
        return refuse_kernel(path, "cannot create a directory for the prefix", "--prefix", error);
    return fd < 0 || !is_read_only(fd) ||
           refuse(path, "cannot create a directory for the prefix", "--prefix", error);
}

bool read_only_check_mirror(const char *path, struct error *error)
{
    static const struct image live = {.fd = -1};
    AUTO_FREE char *nearest = mem_string(path);
    AUTO_CLOSE int fd = open_nearest(&live, &nearest);
    if (fd >= 0 && is_of_kernel(fd))
        return refuse_kernel(nearest, "cannot write into the mirror's directory", "directory",
                             error);
    return fd < 0 || !is_read_only(fd) ||
           refuse(nearest, "cannot write into the mirror's directory", "directory", error);
}
