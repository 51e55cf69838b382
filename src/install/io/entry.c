/* SPDX-License-Identifier: MIT */
#include "install/io/entry.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/memory.h"

/* linux/fs.h, which older systems' headers cannot include beside sys/mount.h */
#define FS_GETFLAGS  _IOR('f', 1, long)
#define FS_IMMUTABLE 0x10
#define FS_APPEND    0x20

#define FLAGS(name) (AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (*(name) ? 0 : AT_EMPTY_PATH))

/* The id of the mount that it is on, -1 where that is not told. */
static int mount_id(int fd, const char *name)
{
    struct file_handle none = {.handle_bytes = 0};
    int id = -1;
    if (name_to_handle_at(fd, name, &none, &id, *name ? 0 : AT_EMPTY_PATH) != 0 &&
        errno != EOVERFLOW)
        return -1;
    return id;
}

/* Another mount than the directory it is in, also of the same device. The device of a file says
 * nothing: on overlayfs it is another one than the directory's. */
static bool is_other_mount(int fd, const char *name, const struct stat *status)
{
    const char *above = *name ? "" : "..";
    struct stat directory;
    if (fstatat(fd, above, &directory, *name ? AT_EMPTY_PATH : 0) != 0)
        return false;
    return (S_ISDIR(status->st_mode) && directory.st_dev != status->st_dev) ||
           mount_id(fd, above) != mount_id(fd, name);
}

static void look_at_attributes(int fd, const char *name, struct entry *entry)
{
    if (!S_ISREG(entry->mode) &&
        !S_ISDIR(entry->mode)) /* to open another kind may have an effect */
        return;
    AUTO_CLOSE int file =
        openat(fd, *name ? name : ".", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int set = 0;
    if (file < 0 || ioctl(file, FS_GETFLAGS, &set) != 0)
        return;
    entry->is_immutable = (set & FS_IMMUTABLE) != 0;
    entry->is_append = (set & FS_APPEND) != 0;
}

static bool look_by_parts(int fd, const char *name, struct entry *ret_entry)
{
    struct stat status;
    if (fstatat(fd, name, &status, FLAGS(name)) != 0)
        return false;
    *ret_entry = (struct entry){.mode = status.st_mode,
                                .owner = status.st_uid,
                                .device = status.st_dev,
                                .is_mount = is_other_mount(fd, name, &status)};
    look_at_attributes(fd, name, ret_entry);
    return true;
}

bool entry_look(int fd, const char *name, struct entry *ret_entry)
{
    struct statx more = {.stx_attributes = 0};
    if (syscall(SYS_statx, fd, name, FLAGS(name), STATX_BASIC_STATS, &more) != 0)
        return errno == ENOSYS && look_by_parts(fd, name, ret_entry);
    uint64_t attributes = more.stx_attributes & more.stx_attributes_mask;
    *ret_entry = (struct entry){
        .mode = more.stx_mode,
        .owner = more.stx_uid,
        .device = makedev(more.stx_dev_major, more.stx_dev_minor),
        .is_mount = (attributes & STATX_ATTR_MOUNT_ROOT) != 0,
        .is_immutable = (attributes & STATX_ATTR_IMMUTABLE) != 0,
        .is_append = (attributes & STATX_ATTR_APPEND) != 0,
    };
    return true;
}
