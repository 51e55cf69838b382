/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/shell.h"
#include "host/local/random_name.h"
#include "host/root/bytes.h"
#include "install/io/fd.h"
#include "install/io/rename.h"
#include "install/io/tree.h"
#include "install/prefix/prefix.h"
#include "install/prefix/stage.h"

/* ".gpuenv-stage-cuda-12.8-0123456789abcdef" */
static char *stage_start(const struct prefix *prefix)
{
    return mem_printf(STAGE_PREFIX "%s-", prefix->name);
}

int stage_open_holder(const struct prefix *prefix, struct error *error)
{
    static const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    AUTO_CLOSE int fd = openat(prefix->parent_fd, prefix->name, flags);
    int holder = fd < 0 ? -1 : openat(fd, LEDGER_DIRECTORY, flags);
    if (holder < 0)
        error_set_errno(error, fd_error_kind(errno), errno, prefix->path,
                        "cannot open the directory of the ledger");
    return holder;
}

/* What was staged in the prefix for a change that never began. */
static bool clear_inside(const struct prefix *prefix, struct error *error)
{
    AUTO_ERROR struct error lost = {0};
    AUTO_CLOSE int holder = stage_open_holder(prefix, &lost);
    return holder < 0 || tree_remove(holder, LEDGER_STAGE, prefix->path, error);
}

/* The lock is ours: what is there belongs to nobody who is alive. */
bool stage_clear(const struct prefix *prefix, struct error *error)
{
    AUTO_FREE char *where = prefix_parent(prefix);
    AUTO_STRLIST struct strlist names = {0};
    AUTO_FREE char *start = stage_start(prefix);
    if (prefix->state == PREFIX_OURS && !prefix->is_pending && !clear_inside(prefix, error))
        return false;
    if (!tree_list(prefix->parent_fd, where, &names, error))
        return false;
    for (size_t i = 0; i < names.count; i++) {
        struct stat status;
        if (!random_name_is(names.items[i], start))
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
                    never ? "this file system does not support links, which a toolkit needs"
                          : "cannot write next to the prefix");
    return error_next(error, "choose a --prefix on another file system");
}

char *stage_name(const struct prefix *prefix, struct error *error)
{
    AUTO_FREE char *start = stage_start(prefix);
    AUTO_FREE char *name = random_name_new(start);
    if (name == NULL)
        error_set_errno(error, ERROR_INTERNAL, errno, NULL, "cannot get a random number");
    return mem_steal(&name);
}

static bool make_stage(const struct prefix *prefix, int holder_fd, const char *name,
                       const char *where, struct stage *ret_stage, struct error *error)
{
    if (mkdirat(holder_fd, name, 0700) != 0) {
        error_set_errno(error, fd_error_kind(errno), errno, where,
                        "cannot create a directory %s the prefix",
                        holder_fd == prefix->parent_fd ? "beside" : "in");
        return error_next(error, "choose a --prefix that you can write to, or use sudo");
    }
    int fd = openat(holder_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        error_set_errno(error, ERROR_CANNOT_WRITE, errno, where, "cannot open %s", name);
        unlinkat(holder_fd, name, AT_REMOVEDIR);
        return false;
    }
    *ret_stage = (struct stage){
        .fd = fd, .holder_fd = holder_fd, .name = mem_string(name), .prefix = prefix};
    shed_inheritance(fd);
    return true;
}

bool stage_open(const struct prefix *prefix, struct stage *ret_stage, struct error *error)
{
    AUTO_FREE char *where = prefix_parent(prefix);
    AUTO_FREE char *name = stage_clear(prefix, error) ? stage_name(prefix, error) : NULL;
    return name && make_stage(prefix, prefix->parent_fd, name, where, ret_stage, error);
}

bool stage_open_inside(const struct prefix *prefix, struct stage *ret_stage, struct error *error)
{
    AUTO_CLOSE int holder = stage_clear(prefix, error) ? stage_open_holder(prefix, error) : -1;
    if (holder < 0 || !make_stage(prefix, holder, LEDGER_STAGE, prefix->path, ret_stage, error))
        return false;
    ret_stage->is_inside = true;
    fd_steal(&holder);
    return true;
}

bool stage_move_inside(struct stage *stage, struct error *error)
{
    AUTO_CLOSE int holder = stage_open_holder(stage->prefix, error);
    if (holder < 0)
        return false;
    if (renameat(stage->holder_fd, stage->name, holder, LEDGER_STAGE) != 0)
        return error_set_errno(error, fd_error_kind(errno), errno, stage->prefix->path,
                               "cannot move the staged files into the prefix");
    free(stage->name);
    stage->name = mem_string(LEDGER_STAGE);
    stage->holder_fd = fd_steal(&holder);
    stage->is_inside = true;
    return true;
}

bool stage_remove(struct stage *stage, struct error *error)
{
    if (stage->name == NULL)
        return true;
    AUTO_FREE char *where = prefix_parent(stage->prefix);
    close(stage->fd);
    bool ok = tree_remove(stage->holder_fd, stage->name, where, error);
    if (stage->is_inside)
        close(stage->holder_fd);
    free(stage->name);
    *stage = (struct stage){.fd = -1};
    return ok;
}

void stage_leave(struct stage *stage)
{
    if (stage->name == NULL)
        return;
    close(stage->fd);
    if (stage->is_inside)
        close(stage->holder_fd);
    free(stage->name);
    *stage = (struct stage){.fd = -1};
}

void stage_close(struct stage *stage)
{
    stage_remove(stage, NULL);
}

/* Not over anything: an empty directory may be replaced, which rename(2) does by itself. */
static int rename_into_place(const struct stage *stage, const char *tree)
{
    const struct prefix *prefix = stage->prefix;
    if (prefix->is_empty)
        return renameat(stage->fd, tree, prefix->parent_fd, prefix->name);
    return rename_to_new(stage->fd, tree, prefix->parent_fd, prefix->name);
}

bool stage_cannot_sync(const struct prefix *prefix, struct error *error)
{
    AUTO_FREE char *quoted = shell_quote(prefix->path);
    error_set_errno(error, ERROR_CANNOT_WRITE, errno, prefix->path,
                    "the tree is in place, but the disk did not confirm the change");
    error_next(error, "check the disk (dmesg), then the tree:");
    return error_command(error, "gpuenv verify --prefix %s", quoted);
}

bool stage_commit(struct stage *stage, const char *tree, struct error *error)
{
    const struct prefix *prefix = stage->prefix;
    if (fchmodat(stage->fd, tree, 0755, 0) != 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, prefix->path,
                               "cannot set the mode of the tree");
    if (!bytes_sync_system(stage->fd))
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, prefix->path,
                               "cannot sync the files to the disk");
    if (rename_into_place(stage, tree) != 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, prefix->path,
                               "cannot move the tree into place");
    return fd_sync_directory(prefix->parent_fd) || stage_cannot_sync(prefix, error);
}
