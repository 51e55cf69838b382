/* SPDX-License-Identifier: MIT */
#include "install/uninstall.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "install/fd.h"
#include "install/tree.h"

/* Into a staging directory, which is then removed, by the next run if this one is killed. False:
 * there is no room for one, or the directory cannot be moved (EXDEV: it is of a lower layer of an
 * overlay; EBUSY: something is mounted there). */
static bool take_away(const struct prefix *prefix, struct stage *stage)
{
    return stage_open(prefix, stage, NULL) &&
           renameat(prefix->parent_fd, prefix->name, stage->fd, "tree") == 0;
}

/* What is called so is no directory any more. */
static bool remove_file(int fd, const struct prefix *prefix, const struct ledger_file *file,
                        struct error *error)
{
    AUTO_ERROR struct error lost = {0};
    const char *name;
    bool directory = file->type == LEDGER_DIRECTORY_ENTRY;
    AUTO_CLOSE int parent = tree_open_parent(fd, file->path, false, prefix->path, &name, &lost);
    if (parent < 0 || unlinkat(parent, name, directory ? AT_REMOVEDIR : 0) == 0 || errno == ENOENT)
        return true;
    if (directory && errno == ENOTDIR && unlinkat(parent, name, 0) == 0)
        return true;
    if (directory && (errno == ENOTEMPTY || errno == EEXIST)) /* it holds what is kept */
        return true;
    AUTO_FREE char *where = mem_printf("%s/%s", prefix->path, file->path);
    return error_set_errno(error, fd_error_kind(errno), errno, where, "cannot remove it");
}

/* From here on it is no installation, but one that is to be removed: whoever comes next goes on. */
static bool set_ledger_aside(int fd, const struct prefix *prefix, struct error *error)
{
    AUTO_CLOSE int directory = tree_open(fd, LEDGER_DIRECTORY, false, prefix->path, error);
    if (directory < 0)
        return false;
    if (prefix->is_leaving || (renameat(directory, LEDGER_NAME, directory, LEDGER_LEAVING) == 0 &&
                               fd_sync_directory(directory)))
        return true;
    error_set_errno(error, fd_error_kind(errno), errno, prefix->path,
                    "cannot set the ledger aside");
    return error_next(error, "only its owner can remove it, on a file system that can be written "
                             "to: use sudo if it is root's");
}

/* From the last to the first, so that what is in a directory goes before it. */
static bool remove_files(const struct prefix *prefix, const struct strlist *kept,
                         struct error *error)
{
    AUTO_CLOSE int fd =
        openat(prefix->parent_fd, prefix->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, prefix->path,
                               "cannot open the prefix");
    if (!set_ledger_aside(fd, prefix, error))
        return false;
    for (size_t i = prefix->ledger.file_count; i > 0; i--) {
        const struct ledger_file *file = &prefix->ledger.files[i - 1];
        if (!strlist_has(kept, file->path) && !remove_file(fd, prefix, file, error))
            return false;
    }
    if (syncfs(fd) != 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, prefix->path, "cannot sync");
    return tree_remove(fd, LEDGER_DIRECTORY, prefix->path, error);
}

static bool sync_parent(const struct prefix *prefix, struct error *error)
{
    return fd_sync_directory(prefix->parent_fd) ||
           error_set_errno(error, ERROR_CANNOT_WRITE, errno, prefix->path,
                           "cannot bring the directory to the disk");
}

/* The whole tree has no name any more. What holds a file in it may be an attribute, a mount, or on
 * NFS a process that has it open. */
static bool remove_taken(struct stage *stage, struct error *error)
{
    if (stage_remove(stage, error))
        return true;
    error_prefix(error, "it is uninstalled, but not all of it could be removed");
    return error_next(error, "look at what holds that file (lsattr, mount, fuser), then remove "
                             "what is left");
}

bool uninstall_remove(const struct prefix *prefix, const struct strlist *kept, struct error *error)
{
    struct stage stage = {.fd = -1};
    bool ok;
    if (kept->count == 0 && take_away(prefix, &stage)) {
        ok = sync_parent(prefix, error) && remove_taken(&stage, error);
    } else {
        ok = remove_files(prefix, kept, error);
        /* what is mounted, or is not ours and came meanwhile, stays */
        if (ok && kept->count == 0 && unlinkat(prefix->parent_fd, prefix->name, AT_REMOVEDIR) == 0)
            ok = sync_parent(prefix, error);
    }
    stage_close(&stage);
    return ok;
}

static bool is_kept(const struct prefix *prefix, const struct verify_row *row, bool force)
{
    const struct ledger_file *file = ledger_find(&prefix->ledger, row->path);
    if (row->is_other && row->is_directory)
        return true;
    return !force && file && (file->type != LEDGER_DIRECTORY_ENTRY || row->is_other);
}

bool uninstall_look(const struct prefix *prefix, bool force, struct strlist *ret_kept,
                    struct error *error)
{
    AUTO_VERIFICATION struct verification found = {.files = 0};
    if (!verify_prefix(prefix, &found, error))
        return false;
    for (size_t i = 0; i < found.changed.count; i++)
        if (is_kept(prefix, &found.changed.items[i], force))
            strlist_add(ret_kept, found.changed.items[i].path);
    for (size_t i = 0; i < found.added.count; i++)
        strlist_add(ret_kept, found.added.items[i].path);
    return true;
}
