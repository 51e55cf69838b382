/* SPDX-License-Identifier: MIT */
#include "install/prefix/uninstall.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shell.h"
#include "host/root/bytes.h"
#include "install/io/fd.h"
#include "install/io/tree.h"
#include "install/prefix/exchange.h"
#include "install/prefix/late.h"
#include "install/prefix/stage.h"
#include "install/prefix/survey.h"

/* Into a staging directory, which is then removed, by the next run if this one is killed. False:
 * there is no room for one, or the directory cannot be moved (EXDEV: it is of a lower layer of an
 * overlay; EBUSY: something is mounted there). */
static bool take_away(const struct prefix *prefix, struct stage *stage)
{
    return stage_open(prefix, stage, NULL) &&
           renameat(prefix->parent_fd, prefix->name, stage->fd, "tree") == 0;
}

/* What is called so is not a directory any more. */
static bool remove_file(int fd, const struct prefix *prefix, const struct ledger_file *file,
                        struct error *error)
{
    AUTO_ERROR struct error lost = {0};
    const char *name;
    bool directory = file->type == LEDGER_DIRECTORY_ENTRY;
    AUTO_CLOSE int parent = tree_open_parent(fd, file->path, false, prefix->path, &name, &lost);
    if (parent >= 0 && unlinkat(parent, name, directory ? AT_REMOVEDIR : 0) == 0)
        return true;
    if (tree_is_gone(errno, parent))
        return true;
    if (directory && errno == ENOTDIR && unlinkat(parent, name, 0) == 0)
        return true;
    if (directory && (errno == ENOTEMPTY || errno == EEXIST)) /* it holds what is kept */
        return true;
    AUTO_FREE char *where = mem_printf("%s/%s", prefix->path, file->path);
    return error_set_errno(error, fd_error_kind(errno), errno, where, "cannot remove it");
}

/* The mark stays, and is what the next run goes by. */
static bool stays_begun(const struct prefix *prefix, struct error *error)
{
    AUTO_FREE char *quoted = shell_quote(prefix->path);
    error_prefix(error, "the uninstall was interrupted");
    error_next(error,
               "check what keeps that file in place (lsattr, mount), then finish the uninstall:");
    return error_command(error, "gpuenv uninstall --prefix %s", quoted);
}

/* From here on it is no installation, but one that is to be removed: whoever comes next goes on. */
static bool set_ledger_aside(int fd, const struct prefix *prefix, struct error *error)
{
    AUTO_CLOSE int directory = tree_open(fd, LEDGER_DIRECTORY, false, prefix->path, error);
    if (directory < 0)
        return false;
    bool begun =
        prefix->is_leaving || renameat(directory, LEDGER_NAME, directory, LEDGER_LEAVING) == 0;
    if (begun && (prefix->is_leaving || fd_sync_directory(directory)))
        return true;
    error_set_errno(error, fd_error_kind(errno), errno, prefix->path,
                    "cannot set the ledger aside");
    if (begun)
        return stays_begun(prefix, error);
    return error_next(error, "only the owner can remove this file, and only on a writable file "
                             "system: use sudo if the file belongs to root");
}

/* From the last to the first, so that what is in a directory goes before it. */
static bool remove_each(const struct prefix *prefix, int fd, const struct strlist *kept,
                        struct error *error)
{
    for (size_t i = prefix->ledger.file_count; i > 0; i--) {
        const struct ledger_file *file = &prefix->ledger.files[i - 1];
        if (!strlist_has(kept, file->path) && !remove_file(fd, prefix, file, error))
            return false;
    }
    if (!bytes_sync_system(fd))
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, prefix->path,
                               "cannot write the directories to the disk");
    return true;
}

/* The mark goes last; when it is gone the prefix is uninstalled, whatever else is left. */
static bool remove_mark(const struct prefix *prefix, int fd, struct error *error)
{
    if (tree_remove(fd, LEDGER_DIRECTORY, prefix->path, error))
        return true;
    if (faccessat(fd, LEDGER_DIRECTORY "/" LEDGER_LEAVING, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        return stays_begun(prefix, error);
    return error_prefix(error, "the uninstall is done, but some files could not be removed");
}

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
    return remove_each(prefix, fd, kept, error) ? remove_mark(prefix, fd, error)
                                                : stays_begun(prefix, error);
}

static bool sync_parent(const struct prefix *prefix, struct error *error)
{
    return fd_sync_directory(prefix->parent_fd) ||
           fd_not_confirmed("the uninstall is done", prefix->path, error);
}

/* The whole tree has no name any more. What holds a file in it may be an attribute, a mount, or on
 * NFS a process that has it open. */
static bool remove_taken(struct stage *stage, struct error *error)
{
    if (stage_remove(stage, error))
        return true;
    error_prefix(error, "the uninstall is done, but some files could not be removed");
    return error_next(
        error,
        "check what keeps that file in place (lsattr, mount, fuser), then remove what is left");
}

/* The old tree is in the stage: what came into it late goes back, and is kept. */
static bool take_late(const struct prefix *prefix, struct stage *stage, struct strlist *kept,
                      struct error *error)
{
    static const struct ledger nothing = {.gpuenv = NULL};
    const struct exchange exchange = {.prefix = prefix, .next = &nothing, .stays = kept};
    AUTO_CLOSE int old = openat(stage->fd, "tree", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (old >= 0 && late_take(&exchange, old, kept, error))
        return true;
    if (old < 0)
        error_set_errno(error, ERROR_CANNOT_WRITE, errno, prefix->path,
                        "the uninstall is done, but the old tree cannot be searched");
    stage_leave(stage);
    return false;
}

/* The whole tree loses its name at once. What the disk does not confirm is left in the stage. */
static bool end_taken(const struct prefix *prefix, struct stage *stage, struct strlist *kept,
                      struct error *error)
{
    if (!take_late(prefix, stage, kept, error))
        return false;
    if (sync_parent(prefix, error))
        return remove_taken(stage, error);
    stage_leave(stage);
    return false;
}

/* A tree of what is kept takes the place of the prefix at once. EXCHANGE_REFUSED: nothing was
 * changed, and what is not kept is to be removed file by file. */
static enum exchange_result leave_kept(const struct prefix *prefix, const struct strlist *kept,
                                       struct stage *stage, struct error *error)
{
    static const struct ledger nothing = {.gpuenv = NULL};
    const struct exchange exchange = {.prefix = prefix, .next = &nothing, .stays = kept};
    AUTO(survey_free) struct survey survey = {.not_linked = NULL};
    AUTO_FREE char *why_not = NULL;
    AUTO_ERROR struct error lost = {0};
    bool not_linked;
    if (!survey_prefix(prefix, &survey, &lost) || survey.not_linked)
        return EXCHANGE_REFUSED;
    why_not = exchange_why_not(prefix);
    if (why_not || !stage_open(prefix, stage, &lost) || mkdirat(stage->fd, "new", 0700) != 0 ||
        !exchange_assemble(&exchange, stage, &not_linked, &lost))
        return EXCHANGE_REFUSED;
    return exchange_commit(stage, error);
}

static bool remove_but(const struct prefix *prefix, struct strlist *kept, struct stage *stage,
                       struct error *error)
{
    AUTO_ERROR struct error refused = {0};
    enum exchange_result result = leave_kept(prefix, kept, stage, &refused);
    if (result == EXCHANGE_FAILED) /* a disk that fails: nothing was changed */
        return error_move(&refused, error);
    if (result == EXCHANGE_REFUSED) {
        stage_close(stage); /* it may take the room that the disk lacks */
        return remove_files(prefix, kept, error);
    }
    if (!take_late(prefix, stage, kept, error))
        return false;
    if (result == EXCHANGE_DONE)
        return remove_taken(stage, error);
    stage_leave(stage);
    return fd_not_confirmed("the uninstall is done", prefix->path, error);
}

static bool remove_all(const struct prefix *prefix, struct error *error)
{
    static const struct strlist nothing = {.count = 0};
    if (!remove_files(prefix, &nothing, error))
        return false;
    if (unlinkat(prefix->parent_fd, prefix->name, AT_REMOVEDIR) == 0)
        return sync_parent(prefix, error);
    /* what is mounted, or is not ours and came meanwhile, stays */
    return errno == ENOTEMPTY || errno == EEXIST || errno == EBUSY ||
           error_set_errno(error, fd_error_kind(errno), errno, prefix->path,
                           "the uninstall is done, but the empty prefix cannot be removed");
}

bool uninstall_remove(const struct prefix *prefix, struct strlist *kept, struct error *error)
{
    struct stage stage = {.fd = -1};
    bool ok;
    if (kept->count > 0)
        ok = remove_but(prefix, kept, &stage, error);
    else
        ok = take_away(prefix, &stage) ? end_taken(prefix, &stage, kept, error)
                                       : remove_all(prefix, error);
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
