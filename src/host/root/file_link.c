/* SPDX-License-Identifier: MIT */
/* Links, labels, and the file system that holds a path. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>

#include "host/root/root.h"

enum host_status host_read_link(const struct host *host, const char *path, char **ret_target,
                                struct error *error)
{
    AUTO_OBJECT struct root_object object = {.fd = -1};
    enum host_status status = root_find(host, path, false, "read the link", &object, error);
    if (status != HOST_OK)
        return status;
    if (!S_ISLNK(object.stat.st_mode))
        return root_refuse(error, "read the link", path, "not a link");
    char target[PATH_MAX];
    ssize_t length = readlinkat(object.fd, "", target, sizeof(target));
    if (length < 0)
        return root_fail(error, errno, "read the link", path);
    if (length >= (ssize_t)sizeof(target))
        return root_fail(error, ENAMETOOLONG, "read the link", path);
    *ret_target = mem_string_n(target, (size_t)length);
    return HOST_OK;
}

enum host_status host_read_label(const struct host *host, const char *path, char **ret_label,
                                 struct error *error)
{
    static const char verb[] = "read the label of";
    AUTO_OBJECT struct root_object object = {.fd = -1};
    enum host_status status = root_find(host, path, true, verb, &object, error);
    if (status != HOST_OK)
        return status;
    char name[ROOT_SELF_FD_SIZE];
    char label[4096];
    ssize_t length =
        getxattr(root_self_fd(object.fd, name), "security.selinux", label, sizeof(label));
    if (length < 0)
        return root_fail(error, errno == ENODATA || errno == ENOTSUP ? ENOENT : errno, verb, path);
    *ret_label = mem_string_n(label, strnlen(label, (size_t)length));
    return HOST_OK;
}

enum host_status host_real_path(const struct host *host, const char *path, char **ret_path,
                                struct error *error)
{
    if (!host->live || path[0] != '/')
        return root_canonical(host, path, ret_path, error);
    if (root_in_time(host, "resolve", path, error) != HOST_OK)
        return HOST_FAILED;
    char *real = realpath(path, NULL);
    if (real == NULL)
        return root_fail(error, errno, "resolve", path);
    *ret_path = real;
    return HOST_OK;
}

/* Cuts the last component off; false when only the root was left. */
static bool cut_component(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL || path[1] == '\0')
        return false;
    slash[slash == path] = '\0';
    return true;
}

static bool multiply(uint64_t blocks, uint64_t size, uint64_t *ret_bytes)
{
    return !__builtin_mul_overflow(blocks, size, ret_bytes);
}

enum host_status host_space(const struct host *host, const char *path, uint64_t *ret_total,
                            uint64_t *ret_available, struct error *error)
{
    static const char verb[] = "read the free space of";
    if (!host->live) {
        root_refuse(error, verb, path, "a tree has no free space of its own");
        return HOST_FOREIGN;
    }
    AUTO_OBJECT struct root_object object = {.fd = -1};
    AUTO_FREE char *parent = mem_string(path);
    enum host_status status = root_find(host, path, true, verb, &object, error);
    while (status == HOST_ABSENT && cut_component(parent))
        status = root_find(host, parent, true, verb, &object, error);
    if (status != HOST_OK)
        return status;
    struct statvfs space;
    if (fstatvfs(object.fd, &space) != 0)
        return root_fail(error, errno, verb, path);
    uint64_t total, available;
    if (!multiply(space.f_blocks, space.f_frsize, &total) ||
        !multiply(space.f_bavail, space.f_frsize, &available))
        return root_refuse(error, verb, path, "the file system reports impossible sizes");
    *ret_total = total;
    *ret_available = available;
    return HOST_OK;
}
