/* SPDX-License-Identifier: MIT */
/* Where a path of a root leads, without ever leaving the root. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include "base/text.h"
#include "host/root/file_walk.h"
#include "host/root/root.h"

/* linux/openat2.h, which the oldest systems that gpuenv is built on do not have. The number is the
 * same on every architecture (since Linux 5.6). */
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
struct openat2_how {
    uint64_t flags;
    uint64_t mode;
    uint64_t resolve;
};
#ifndef RESOLVE_IN_ROOT
#define RESOLVE_NO_MAGICLINKS 0x02
#define RESOLVE_IN_ROOT       0x10
#endif

#define OPENAT2_TRIES 8

void root_object_close(struct root_object *object)
{
    fd_close_at(&object->fd);
    object->fd = -1;
}

enum host_status root_fail(struct error *error, int number, const char *verb, const char *path)
{
    error_set_errno(error, ERROR_NO_INPUT, number, path, "cannot %s", verb);
    switch (number) {
    case ENOENT:
    case ENOTDIR:
        return HOST_ABSENT;
    case EACCES:
    case EPERM:
        return HOST_DENIED;
    default:
        return HOST_FAILED;
    }
}

enum host_status root_refuse(struct error *error, const char *verb, const char *path,
                             const char *format, ...)
{
    AUTO_TEXT struct text why = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&why, format, arguments);
    va_end(arguments);
    error_set(error, ERROR_NO_INPUT, "cannot %s", verb);
    error_where(error, "%s", path);
    error_why(error, "%s", why.data);
    return HOST_FAILED;
}

const char *root_self_fd(int fd, char buffer[static ROOT_SELF_FD_SIZE])
{
    snprintf(buffer, ROOT_SELF_FD_SIZE, "/proc/self/fd/%d", fd);
    return buffer;
}

enum host_status root_in_time(const struct host *host, const char *verb, const char *path,
                              struct error *error)
{
    return host_is_late(host) ? root_refuse(error, verb, path, "no time left") : HOST_OK;
}

static enum host_status fail_foreign(struct error *error, const char *verb, const char *path)
{
    root_refuse(error, verb, path, "this file belongs to the running machine, not to the tree");
    return HOST_FOREIGN;
}

static int open_in_root(const struct host *host, const char *path, bool follow)
{
    struct openat2_how how = {
        .flags = (unsigned)(O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW)),
        .mode = 0,
        .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
    };
    /* EAGAIN: something was renamed or mounted while ".." was being resolved. */
    for (int i = 0; i < OPENAT2_TRIES; i++) {
        long fd = syscall(SYS_openat2, host->fd, path, &how, sizeof(how));
        if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
            return (int)fd;
    }
    return -1;
}

static int find_by_hand(const struct host *host, const char *path, bool follow,
                        struct root_object *object)
{
    AUTO_WALK struct walk walk = {.host = host};
    int number = walk_path(&walk, path, follow);
    if (number != 0)
        return number;
    object->fd = fcntl(walk_fd(&walk), F_DUPFD_CLOEXEC, 0);
    if (object->fd < 0 || fstat(object->fd, &object->stat) != 0)
        return errno;
    return 0;
}

/* openat2(2) only for what it finds: what it refuses, for whatever reason, is walked by hand,
 * which can tell a path that ended on a foreign file system from one that is not there. */
static int find_in_tree(const struct host *host, const char *path, bool follow,
                        struct root_object *object)
{
    if (host->openat2) {
        object->fd = open_in_root(host, path, follow);
        if (object->fd >= 0 && fstat(object->fd, &object->stat) != 0)
            return errno;
        if (object->fd >= 0 && walk_origin(host, object->fd, &object->stat) == ORIGIN_TREE)
            return 0;
        root_object_close(object);
    }
    return find_by_hand(host, path, follow, object);
}

static int find_live(const char *path, bool follow, struct root_object *object)
{
    object->fd = open(path, O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
    if (object->fd < 0 || fstat(object->fd, &object->stat) != 0)
        return errno;
    return 0;
}

enum host_status root_find(const struct host *host, const char *path, bool follow, const char *verb,
                           struct root_object *ret_object, struct error *error)
{
    if (path[0] != '/')
        return root_refuse(error, verb, path, "not an absolute path");
    if (root_in_time(host, verb, path, error) != HOST_OK)
        return HOST_FAILED;
    int number = host->live ? find_live(path, follow, ret_object)
                            : find_in_tree(host, path, follow, ret_object);
    if (number == WALK_FOREIGN)
        return fail_foreign(error, verb, path);
    return number == 0 ? HOST_OK : root_fail(error, number, verb, path);
}

enum host_status root_canonical(const struct host *host, const char *path, char **ret_path,
                                struct error *error)
{
    if (path[0] != '/')
        return root_refuse(error, "resolve", path, "not an absolute path");
    if (root_in_time(host, "resolve", path, error) != HOST_OK)
        return HOST_FAILED;
    AUTO_WALK struct walk walk = {.host = host};
    int number = walk_path(&walk, path, true);
    if (number == WALK_FOREIGN)
        return fail_foreign(error, "resolve", path);
    if (number != 0)
        return root_fail(error, number, "resolve", path);
    *ret_path = walk_text(&walk);
    return HOST_OK;
}

int root_parent(const struct host *host, const char *path, int *ret_fd, char **ret_name)
{
    AUTO_WALK struct walk walk = {.host = host};
    int number = walk_path(&walk, path, true);
    if (number != 0 || walk.count == 0)
        return number == WALK_FOREIGN || number == 0 ? ENOENT : number;
    char *name = mem_string(walk.steps[walk.count - 1].name);
    walk_pop(&walk);
    int fd = fcntl(walk_fd(&walk), F_DUPFD_CLOEXEC, 0);
    if (fd < 0) {
        free(name);
        return errno;
    }
    *ret_fd = fd;
    *ret_name = name;
    return 0;
}
