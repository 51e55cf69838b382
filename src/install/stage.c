/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "install/fd.h"
#include "install/prefix.h"
#include "install/tree.h"

/* ".gpuenv-stage-cuda-12.8-0123456789abcdef": hidden, ours by its owner, beside the prefix. */
#define RANDOM_DIGITS 16

static char *stage_start(const struct prefix *prefix)
{
    return mem_printf(".gpuenv-stage-%s-", prefix->name);
}

/* The lock is ours: what is there belongs to nobody who is alive. */
bool stage_clear(const struct prefix *prefix, struct error *error)
{
    AUTO_FREE char *where = prefix_parent(prefix);
    AUTO_STRLIST struct strlist names = {0};
    AUTO_FREE char *start = stage_start(prefix);
    if (!tree_list(prefix->parent_fd, where, &names, error))
        return false;
    for (size_t i = 0; i < names.count; i++) {
        const char *rest = names.items[i] + strlen(start);
        struct stat status;
        if (!string_starts(names.items[i], start) || strlen(rest) != RANDOM_DIGITS ||
            strspn(rest, "0123456789abcdef") != RANDOM_DIGITS)
            continue;
        if (fstatat(prefix->parent_fd, names.items[i], &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISDIR(status.st_mode) || status.st_uid != geteuid())
            continue;
        if (!tree_remove(prefix->parent_fd, names.items[i], where, error))
            return false;
    }
    return true;
}

/* What is made below it has the modes and owners that are asked for: neither the group nor the ACL
 * that the directory above would hand down. */
static void shed_inheritance(int fd)
{
    fremovexattr(fd, "system.posix_acl_default");
    fremovexattr(fd, "system.posix_acl_access");
    fchmod(fd, 0700);
}

/* What every tree needs and some file systems (vfat) do not have. */
bool stage_can_hold(const struct stage *stage, struct error *error)
{
    AUTO_FREE char *where = prefix_parent(stage->prefix);
    static const char name[] = "link";
    if (symlinkat("lib", stage->fd, name) == 0 && unlinkat(stage->fd, name, 0) == 0)
        return true;
    int number = errno;
    bool never = number == EPERM || number == EOPNOTSUPP || number == ENOSYS;
    error_set_errno(error, ERROR_CANNOT_WRITE, number, where, "%s",
                    never ? "this file system cannot hold links, which a toolkit needs"
                          : "cannot write beside the prefix");
    return error_next(error, "choose a --prefix on another file system");
}

bool stage_open(const struct prefix *prefix, struct stage *ret_stage, struct error *error)
{
    AUTO_FREE char *where = prefix_parent(prefix);
    AUTO_FREE char *start = stage_start(prefix);
    uint64_t number;
    if (!stage_clear(prefix, error))
        return false;
    if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
        return error_set_errno(error, ERROR_INTERNAL, errno, NULL, "cannot get a random number");
    AUTO_FREE char *name = mem_printf("%s%0*" PRIx64, start, RANDOM_DIGITS, number);
    if (mkdirat(prefix->parent_fd, name, 0700) != 0) {
        error_set_errno(error, fd_error_kind(errno), errno, where,
                        "cannot make a directory beside the prefix");
        return error_next(error, "choose a --prefix that you may write to, or use sudo");
    }
    int fd = openat(prefix->parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        error_set_errno(error, ERROR_CANNOT_WRITE, errno, where, "cannot open %s", name);
        unlinkat(prefix->parent_fd, name, AT_REMOVEDIR);
        return false;
    }
    *ret_stage = (struct stage){.fd = fd, .name = mem_steal(&name), .prefix = prefix};
    shed_inheritance(fd);
    return true;
}

void stage_close(struct stage *stage)
{
    if (stage->name == NULL)
        return;
    AUTO_FREE char *where = prefix_parent(stage->prefix);
    close(stage->fd);
    tree_remove(stage->prefix->parent_fd, stage->name, where, NULL);
    free(stage->name);
    *stage = (struct stage){.fd = -1};
}

/* Not over anything: an empty directory may be replaced, which rename(2) does by itself. */
static int rename_into_place(const struct stage *stage, const char *tree)
{
    const struct prefix *prefix = stage->prefix;
    if (!prefix->is_empty) {
        int result = renameat2(stage->fd, tree, prefix->parent_fd, prefix->name, RENAME_NOREPLACE);
        if (result == 0 || errno != EINVAL)
            return result;
    }
    return renameat(stage->fd, tree, prefix->parent_fd, prefix->name);
}

bool stage_commit(struct stage *stage, const char *tree, struct error *error)
{
    const struct prefix *prefix = stage->prefix;
    if (fchmodat(stage->fd, tree, 0755, 0) != 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, prefix->path,
                               "cannot set the mode of the tree");
    if (syncfs(stage->fd) != 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, prefix->path,
                               "cannot bring the files to the disk");
    if (rename_into_place(stage, tree) != 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, prefix->path,
                               "cannot put the tree in its place");
    if (fsync(prefix->parent_fd) != 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, prefix->path,
                               "cannot bring the directory to the disk");
    return true;
}
