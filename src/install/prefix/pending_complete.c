/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/root/bytes.h"
#include "host/root/input.h"
#include "install/io/fd.h"
#include "install/io/tree.h"
#include "install/prefix/pending_private.h"
#include "install/prefix/stage.h"

#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

struct completion {
    struct prefix *prefix;
    struct ledger next;
    int fd;     /* of the prefix */
    int holder; /* PREFIX/.gpuenv */
    int fresh;  /* what was staged; -1: all of it has its place */
    bool last;  /* what is still in the way is an error */
    enum verify_depth depth;
};

static bool place_directory(const struct completion *work, int from, int to, const char *path,
                            struct error *error);

/* What is placed is not staged any more: what has the name of something staged is of before. A file
 * that somebody put there meanwhile is not in the ledger, or has taken the place of a directory. */
static bool is_ours(const struct completion *work, const char *path, const struct stat *there)
{
    const struct ledger_file *file = ledger_find(&work->prefix->ledger, path);
    return file && (S_ISDIR(there->st_mode) || file->type != LEDGER_DIRECTORY_ENTRY);
}

/* What was a directory and is to be a file waits until its files are removed, and the other way
 * round it is the file that goes first. */
static bool place_over(const struct completion *work, int from, int to, const char *name,
                       const char *path, const struct stat *new, const struct stat *there,
                       struct error *error)
{
    bool fresh = S_ISDIR(new->st_mode), old = S_ISDIR(there->st_mode);
    if (!(fresh && old) && !is_ours(work, path, there))
        return pending_refuse_foreign(work->prefix, path, error);
    if (fresh && old) {
        AUTO_CLOSE int next_from = openat(from, name, DIRECTORY);
        AUTO_CLOSE int next_to = openat(to, name, DIRECTORY);
        if (next_from < 0 || next_to < 0)
            return pending_cannot(work->prefix, path, "cannot open the directory", error);
        return place_directory(work, next_from, next_to, path, error);
    }
    if (old && !work->last)
        return true;
    if (old != fresh && unlinkat(to, name, old ? AT_REMOVEDIR : 0) != 0)
        return pending_cannot(work->prefix, path, "cannot remove the old file or directory", error);
    return renameat(from, name, to, name) == 0 ||
           pending_cannot(work->prefix, path, "cannot move the new file into place", error);
}

static bool place_directory(const struct completion *work, int from, int to, const char *path,
                            struct error *error)
{
    AUTO_STRLIST struct strlist names = {0};
    struct stat new, there;
    if (!tree_list(from, path, &names, error))
        return false;
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.items[i];
        AUTO_FREE char *entry = pending_below(path, name);
        bool ok;
        if (fstatat(from, name, &new, AT_SYMLINK_NOFOLLOW) != 0)
            return pending_cannot(work->prefix, entry, "cannot access the staged files", error);
        if (fstatat(to, name, &there, AT_SYMLINK_NOFOLLOW) == 0)
            ok = place_over(work, from, to, name, entry, &new, &there, error);
        else
            ok = (errno == ENOENT && renameat(from, name, to, name) == 0) ||
                 pending_cannot(work->prefix, entry, "cannot move the new file into place", error);
        if (!ok)
            return false;
    }
    return true;
}

static bool place(const struct completion *work, struct error *error)
{
    return work->fresh < 0 || place_directory(work, work->fresh, work->fd, "", error);
}

/* From the last to the first: what is in a directory goes before it. Only what is gpuenv's. */
static bool remove_old(const struct completion *work, struct error *error)
{
    const struct prefix *prefix = work->prefix;
    for (size_t i = work->next.remove.count; i > 0; i--) {
        const char *name, *path = work->next.remove.items[i - 1];
        const struct ledger_file *file = ledger_find(&prefix->ledger, path);
        AUTO_ERROR struct error lost = {0};
        if (file == NULL || ledger_find(&work->next, path))
            continue;
        bool directory = file->type == LEDGER_DIRECTORY_ENTRY;
        AUTO_CLOSE int parent = tree_open_parent(work->fd, path, false, prefix->path, &name, &lost);
        if (parent >= 0 && unlinkat(parent, name, directory ? AT_REMOVEDIR : 0) == 0)
            continue;
        if (tree_is_gone(errno, parent) || (!directory && errno == EISDIR) ||
            (directory &&
             (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR || errno == EBUSY)))
            continue;
        return pending_cannot(prefix, path, "cannot remove it", error);
    }
    return true;
}

static bool finish(const struct completion *work, struct error *error)
{
    const struct prefix *prefix = work->prefix;
    struct ledger written = work->next;
    written.remove = (struct strlist){.count = 0};
    written.undoes = 0;
    bool named = false;
    if (!bytes_sync_system(work->fd))
        return pending_cannot(prefix, "", "cannot sync the files to the disk", error);
    if (!pending_write_ledger(prefix, work->holder, LEDGER_NAME, &written, &named, error))
        return false;
    if (unlinkat(work->holder, LEDGER_PENDING, 0) != 0 && errno != ENOENT)
        return pending_cannot(prefix, LEDGER_DIRECTORY, "cannot finish the change", error);
    return true;
}

bool pending_read(const struct prefix *prefix, int holder, struct ledger *ret_next,
                  struct error *error)
{
    AUTO_FREE char *where = mem_printf("%s/" LEDGER_DIRECTORY "/" LEDGER_PENDING, prefix->path);
    AUTO_TEXT struct text text = {0};
    AUTO_CLOSE int fd = -1;
    if (!input_open_at(holder, LEDGER_PENDING, O_NOFOLLOW, where, &fd, error))
        return false;
    if (!fd_is_ours(fd)) {
        error_set(error, ERROR_CANNOT_WRITE, "other users may have written this file");
        return error_where(error, "%s", where);
    }
    return fd_read_all(fd, LEDGER_MAX, where, &text, error) &&
           ledger_parse(text_string(&text), text.size, where, ret_next, error);
}

static bool complete(struct completion *work, struct error *error)
{
    if (!pending_read(work->prefix, work->holder, &work->next, error))
        return false;
    AUTO_CLOSE int stage = openat(work->holder, LEDGER_STAGE, DIRECTORY);
    AUTO_CLOSE int fresh = stage < 0 ? -1 : openat(stage, "new", DIRECTORY);
    work->fresh = fresh;
    const struct prefix *prefix = work->prefix;
    if (!pending_check(prefix, &work->next, fresh, work->fd, work->depth, error) ||
        !place(work, error) || !remove_old(work, error))
        return false;
    work->last = true;
    return place(work, error) &&
           pending_check(prefix, &work->next, -1, work->fd, VERIFY_STATUS, error) &&
           finish(work, error);
}

/* The new state is there. What is left of the stage goes now, or with the next run. */
static bool end(const struct completion *work, struct error *error)
{
    const struct prefix *prefix = work->prefix;
    if (!fd_sync_directory(work->holder))
        return stage_cannot_sync(prefix, error);
    tree_remove(work->holder, LEDGER_STAGE, prefix->path, NULL);
    return true;
}

bool pending_complete(struct prefix *prefix, enum pending_begun begun, struct error *error)
{
    struct completion work = {.prefix = prefix,
                              .depth = begun == BEGUN_NOW ? VERIFY_STATUS : VERIFY_BYTES};
    AUTO_CLOSE int fd = openat(prefix->parent_fd, prefix->name, DIRECTORY);
    AUTO_CLOSE int holder = stage_open_holder(prefix, error);
    work.fd = fd;
    work.holder = holder;
    if (fd < 0 || holder < 0)
        return (fd >= 0 ? false : pending_cannot(prefix, "", "cannot open the prefix", error)) ||
               pending_stays(error);
    if (!complete(&work, error)) {
        ledger_free(&work.next);
        return pending_stays(error);
    }
    ledger_free(&prefix->ledger);
    strlist_free(&work.next.remove);
    prefix->ledger = work.next;
    prefix->is_pending = false;
    return end(&work, error);
}
