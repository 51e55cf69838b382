/* SPDX-License-Identifier: MIT */
#include "install/prefix/exchange.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "host/root/bytes.h"
#include "install/io/fd.h"
#include "install/io/rename.h"
#include "install/io/tree.h"
#include "install/prefix/stage.h"

#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

struct clone {
    const struct exchange *what; /* NULL: everything */
    bool not_linked;
};

/* Refusals that another way may not meet. */
static bool is_refusal(int number)
{
    return number == EPERM || number == EACCES || number == EMLINK || number == EXDEV ||
           number == EOPNOTSUPP || number == ENOSYS || number == EINVAL || number == EBUSY;
}

static bool refuse(struct clone *clone, const char *path, const char *what, struct error *error)
{
    clone->not_linked = is_refusal(errno);
    return error_set_errno(error, ERROR_CANNOT_WRITE, errno, path, "%s", what);
}

static bool copy_attributes(int from, int to)
{
    char names[4096], value[4096];
    ssize_t size = flistxattr(from, names, sizeof(names));
    for (const char *name = names; size > 0 && name < names + size; name += strlen(name) + 1) {
        ssize_t length = fgetxattr(from, name, value, sizeof(value));
        if (length < 0)
            return false;
        if (fsetxattr(to, name, value, (size_t)length, 0) != 0 && !string_starts(name, "security."))
            return false;
    }
    return size >= 0 || errno == EOPNOTSUPP;
}

bool exchange_copy_status(int from, int to)
{
    struct stat status, made;
    if (fstat(from, &status) != 0 || fstat(to, &made) != 0)
        return false;
    const struct timespec times[] = {status.st_atim, status.st_mtim};
    if ((status.st_uid != made.st_uid || status.st_gid != made.st_gid) &&
        fchown(to, status.st_uid, status.st_gid) != 0)
        return false;
    return copy_attributes(from, to) && fchmod(to, status.st_mode & 07777) == 0 &&
           futimens(to, times) == 0;
}

bool exchange_is_wanted(const struct exchange *what, const char *path)
{
    if (what == NULL || ledger_find(&what->prefix->ledger, path) == NULL)
        return true;
    const struct ledger_file *next = ledger_find(what->next, path);
    return next ? next->is_there : strlist_has(what->stays, path);
}

static bool is_gone(const struct exchange *what, const char *path)
{
    if (what == NULL || ledger_find(&what->prefix->ledger, path) == NULL ||
        strlist_has(what->stays, path))
        return false;
    const struct ledger_file *next = ledger_find(what->next, path);
    return next == NULL || next->type != LEDGER_DIRECTORY_ENTRY;
}

static bool clone_directory(struct clone *clone, int from, int to, const char *path,
                            struct error *error);

static bool clone_below(struct clone *clone, int from, int to, const char *name, const char *path,
                        struct error *error)
{
    AUTO_CLOSE int next_from = openat(from, name, DIRECTORY);
    bool made = mkdirat(to, name, 0700) == 0;
    if (next_from < 0 || (!made && errno != EEXIST))
        return refuse(clone, path, "cannot create the same directory in the new tree", error);
    AUTO_CLOSE int next_to = openat(to, name, DIRECTORY);
    if (next_to < 0)
        return refuse(clone, path, "cannot open the new directory", error);
    if (!clone_directory(clone, next_from, next_to, path, error))
        return false;
    if (is_gone(clone->what, path)) {
        if (unlinkat(to, name, AT_REMOVEDIR) == 0)
            return true;
        if (errno != ENOTEMPTY && errno != EEXIST) /* those hold what is not gpuenv's */
            return refuse(clone, path, "cannot leave the directory out", error);
    }
    return !made || exchange_copy_status(next_from, next_to) ||
           refuse(clone, path, "cannot set the same attributes on a directory", error);
}

static bool clone_directory(struct clone *clone, int from, int to, const char *path,
                            struct error *error)
{
    AUTO_STRLIST struct strlist names = {0};
    if (!tree_list(from, path, &names, error))
        return false;
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.items[i];
        AUTO_FREE char *below = *path ? mem_printf("%s/%s", path, name) : mem_string(name);
        struct stat status;
        if (clone->what && string_equal(below, LEDGER_DIRECTORY))
            continue;
        if (fstatat(from, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            return refuse(clone, below, "cannot access it", error);
        if (S_ISDIR(status.st_mode)) {
            if (!clone_below(clone, from, to, name, below, error))
                return false;
        } else if (exchange_is_wanted(clone->what, below) && linkat(from, name, to, name, 0) != 0) {
            return refuse(clone, below, "cannot link the file into the new tree", error);
        }
    }
    return true;
}

bool exchange_assemble(const struct exchange *exchange, const struct stage *stage,
                       bool *ret_not_linked, struct error *error)
{
    const struct prefix *prefix = exchange->prefix;
    struct clone old = {.what = exchange};
    struct clone new = {.what = NULL};
    AUTO_CLOSE int from = openat(prefix->parent_fd, prefix->name, DIRECTORY);
    AUTO_CLOSE int fresh = openat(stage->fd, "new", DIRECTORY);
    AUTO_CLOSE int to =
        mkdirat(stage->fd, "tree", 0700) == 0 ? openat(stage->fd, "tree", DIRECTORY) : -1;
    *ret_not_linked = false;
    if (from < 0 || fresh < 0 || to < 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, prefix->path,
                               "cannot create a tree next to the prefix");
    bool ok = clone_directory(&old, from, to, "", error) &&
              clone_directory(&new, fresh, to, "", error) &&
              (exchange_copy_status(from, to) ||
               refuse(&old, prefix->path, "cannot set the attributes of the new tree", error));
    *ret_not_linked = old.not_linked || new.not_linked;
    return ok;
}

enum exchange_result exchange_commit(const struct stage *stage, struct error *error)
{
    const struct prefix *prefix = stage->prefix;
    if (!bytes_sync_system(stage->fd)) {
        error_set_errno(error, ERROR_CANNOT_WRITE, errno, prefix->path,
                        "cannot sync the files to the disk");
        return EXCHANGE_FAILED;
    }
    if (rename_exchange(stage->fd, "tree", prefix->parent_fd, prefix->name) != 0) {
        enum exchange_result result = is_refusal(errno) ? EXCHANGE_REFUSED : EXCHANGE_FAILED;
        error_set_errno(error, ERROR_CANNOT_WRITE, errno, prefix->path,
                        "cannot replace the old tree with the new tree");
        return result;
    }
    if (fd_sync_directory(prefix->parent_fd) && fd_sync_directory(stage->fd))
        return EXCHANGE_DONE;
    stage_cannot_sync(prefix, error);
    return EXCHANGE_UNCONFIRMED;
}
