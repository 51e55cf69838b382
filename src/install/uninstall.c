/* SPDX-License-Identifier: MIT */
#include "install/uninstall.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "install/tree.h"

/* Into a staging directory, which is then removed, by the next run if this one is killed. */
static bool remove_whole(const struct prefix *prefix, struct error *error)
{
    struct stage stage;
    if (!stage_open(prefix, &stage, error))
        return false;
    bool ok = renameat(prefix->parent_fd, prefix->name, stage.fd, "tree") == 0;
    if (!ok)
        error_set_errno(error, ERROR_CANNOT_WRITE, errno, prefix->path,
                        "cannot take the prefix out of its place");
    else if (fsync(prefix->parent_fd) != 0)
        ok = error_set_errno(error, ERROR_CANNOT_WRITE, errno, prefix->path,
                             "cannot bring the directory to the disk");
    stage_close(&stage);
    return ok;
}

/* A directory that is not empty holds what is kept. */
static bool remove_file(int fd, const struct prefix *prefix, const struct ledger_file *file,
                        struct error *error)
{
    AUTO_ERROR struct error lost = {0};
    const char *name;
    bool directory = file->type == LEDGER_DIRECTORY_ENTRY;
    AUTO_CLOSE int parent = tree_open_parent(fd, file->path, false, prefix->path, &name, &lost);
    if (parent < 0 || unlinkat(parent, name, directory ? AT_REMOVEDIR : 0) == 0 || errno == ENOENT)
        return true;
    if (directory && (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR))
        return true;
    return error_set_errno(error, ERROR_CANNOT_WRITE, errno, file->path, "cannot remove it");
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
    for (size_t i = prefix->ledger.file_count; i > 0; i--) {
        const struct ledger_file *file = &prefix->ledger.files[i - 1];
        if (!strlist_has(kept, file->path) && !remove_file(fd, prefix, file, error))
            return false;
    }
    if (syncfs(fd) != 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, prefix->path, "cannot sync");
    return tree_remove(fd, LEDGER_DIRECTORY, prefix->path, error);
}

bool uninstall_prefix(const struct prefix *prefix, bool force, struct strlist *ret_kept,
                      struct error *error)
{
    AUTO_VERIFICATION struct verification found = {.files = 0};
    if (!verify_prefix(prefix, &found, error))
        return false;
    for (size_t i = 0; i < found.changed.count; i++) {
        const struct ledger_file *file = ledger_find(&prefix->ledger, found.changed.items[i].path);
        if (!force && file && file->type != LEDGER_DIRECTORY_ENTRY)
            strlist_add(ret_kept, file->path);
    }
    for (size_t i = 0; i < found.added.count; i++)
        strlist_add(ret_kept, found.added.items[i].path);
    if (ret_kept->count == 0)
        return remove_whole(prefix, error);
    return remove_files(prefix, ret_kept, error);
}
