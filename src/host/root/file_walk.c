/* SPDX-License-Identifier: MIT */
#include "host/root/file_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>

#include "base/text.h"
#include "host/root/root.h"

/* As the kernel (MAXSYMLINKS). */
#define LINKS_MAX 40

#ifndef CONFIGFS_MAGIC
#define CONFIGFS_MAGIC 0x62656570
#endif
#ifndef MQUEUE_MAGIC
#define MQUEUE_MAGIC 0x19800202
#endif
#ifndef FUSECTL_MAGIC
#define FUSECTL_MAGIC 0x65735543
#endif

/* File systems whose content the running kernel makes up. */
static bool is_kernel_file_system(uint32_t magic)
{
    switch (magic) {
    case PROC_SUPER_MAGIC:
    case SYSFS_MAGIC:
    case CGROUP_SUPER_MAGIC:
    case CGROUP2_SUPER_MAGIC:
    case RDTGROUP_SUPER_MAGIC:
    case DEVPTS_SUPER_MAGIC:
    case DEBUGFS_MAGIC:
    case TRACEFS_MAGIC:
    case SECURITYFS_MAGIC:
    case SELINUX_MAGIC:
    case SMACK_MAGIC:
    case EFIVARFS_MAGIC:
    case PSTOREFS_MAGIC:
    case BPF_FS_MAGIC:
    case BINFMTFS_MAGIC:
    case CONFIGFS_MAGIC:
    case FUSECTL_MAGIC:
    case MQUEUE_MAGIC:
    case HUGETLBFS_MAGIC:
    case NSFS_MAGIC:
        return true;
    default:
        return false;
    }
}

enum walk_origin walk_origin(const struct host *host, int fd, const struct stat *stat)
{
    struct statfs file_system;
    if (host->live || fstatfs(fd, &file_system) != 0)
        return ORIGIN_TREE;
    uint32_t magic = (uint32_t)file_system.f_type;
    if (is_kernel_file_system(magic))
        return ORIGIN_FOREIGN;
    return magic == TMPFS_MAGIC && stat->st_dev != host->file_system ? ORIGIN_UNSURE : ORIGIN_TREE;
}

int walk_fd(const struct walk *walk)
{
    return walk->count > 0 ? walk->steps[walk->count - 1].fd : walk->host->fd;
}

char *walk_text(const struct walk *walk)
{
    AUTO_TEXT struct text text = {0};
    for (size_t i = 0; i < walk->count; i++) {
        text_append_char(&text, '/');
        text_append(&text, walk->steps[i].name);
    }
    return text.size > 0 ? text_steal(&text) : mem_string("/");
}

void walk_pop(struct walk *walk)
{
    if (walk->count == 0)
        return;
    struct walk_step *step = &walk->steps[--walk->count];
    close(step->fd);
    free(step->name);
}

void walk_free(struct walk *walk)
{
    while (walk->count > 0)
        walk_pop(walk);
    free(walk->steps);
    free(walk->rest);
}

/* devtmpfs calls itself a tmpfs, and container runtimes mount a tmpfs over parts of /proc and
 * /sys: there, and only there, a tmpfs that is not the root's own is the machine's. */
static bool is_kernel_directory(const struct walk *walk, const char *name)
{
    static const char *const directories[] = {"dev", "proc", "sys"};
    const char *first = walk->count > 0 ? walk->steps[0].name : name;
    for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++)
        if (string_equal(first, directories[i]))
            return true;
    return false;
}

static bool is_foreign(const struct walk *walk, const char *name, int fd, const struct stat *stat)
{
    switch (walk_origin(walk->host, fd, stat)) {
    case ORIGIN_FOREIGN:
        return true;
    case ORIGIN_UNSURE:
        return is_kernel_directory(walk, name);
    case ORIGIN_TREE:
        break;
    }
    return false;
}

static bool stands_on_foreign(const struct walk *walk)
{
    struct stat stat;
    return fstat(walk_fd(walk), &stat) == 0 && is_foreign(walk, NULL, walk_fd(walk), &stat);
}

/* Puts the link's target in place of the component that was just read. */
static int walk_link(struct walk *walk, int fd)
{
    char target[PATH_MAX];
    if (walk->links++ >= LINKS_MAX)
        return ELOOP;
    ssize_t length = readlinkat(fd, "", target, sizeof(target));
    if (length < 0)
        return errno;
    if (length == 0)
        return ENOENT;
    if (length >= (ssize_t)sizeof(target))
        return ENAMETOOLONG;
    target[length] = '\0';
    char *rest = mem_printf("%s%s", target, walk->rest + walk->at);
    free(walk->rest);
    walk->rest = rest;
    walk->at = 0;
    while (target[0] == '/' && walk->count > 0)
        walk_pop(walk);
    return 0;
}

static int walk_component(struct walk *walk, const char *name, bool follow)
{
    if (string_equal(name, "."))
        return 0;
    if (string_equal(name, "..")) {
        walk_pop(walk);
        return 0;
    }
    AUTO_CLOSE int fd = openat(walk_fd(walk), name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    struct stat stat;
    if (fd < 0 || fstat(fd, &stat) != 0)
        return errno;
    bool more = walk->rest[walk->at] != '\0';
    if (S_ISLNK(stat.st_mode) && (more || follow))
        return is_foreign(walk, name, fd, &stat) ? WALK_FOREIGN : walk_link(walk, fd);
    if (more && !S_ISDIR(stat.st_mode))
        return ENOTDIR;
    struct walk_step *step = vec_push(walk->steps, walk->count, walk->capacity);
    step->fd = fd_steal(&fd);
    step->name = mem_string(name);
    return 0;
}

static int walk_rest(struct walk *walk, bool follow)
{
    for (;;) {
        walk->at += strspn(walk->rest + walk->at, "/");
        size_t length = strcspn(walk->rest + walk->at, "/");
        if (length == 0)
            return 0;
        if (length > NAME_MAX)
            return ENAMETOOLONG;
        char name[NAME_MAX + 1];
        memcpy(name, walk->rest + walk->at, length);
        name[length] = '\0';
        walk->at += length;
        int number = walk_component(walk, name, follow);
        if (number != 0)
            return number;
    }
}

int walk_path(struct walk *walk, const char *path, bool follow)
{
    if (strlen(path) >= PATH_MAX)
        return ENAMETOOLONG;
    walk->rest = mem_string(path);
    int number = walk_rest(walk, follow);
    return stands_on_foreign(walk) ? WALK_FOREIGN : number;
}
