/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "install/io/tree.h"
#include "install/prefix/exchange.h"
#include "install/prefix/late.h"
#include "install/prefix/pending.h"
#include "install/prefix/stage.h"
#include "install/prefix/verify.h"
#include "install/run/run.h"
#include "install/run/run_change.h"
#include "install/run/run_ledger.h"
#include "install/run/run_unpack.h"

/* A prefix that is there becomes another one. */

void changed_files_free(struct changed_files *files)
{
    strlist_free(&files->stays);
    strlist_free(&files->replaced);
}

bool run_find_way(struct run *run, struct error *error)
{
    run->way = WAY_RENAME;
    if (run->prefix.state != PREFIX_OURS)
        return true;
    survey_free(&run->survey);
    free(mem_steal(&run->way_why));
    if (!survey_prefix(&run->prefix, &run->survey, error))
        return false;
    run->way_why = run->survey.not_linked ? mem_string(run->survey.not_linked)
                                          : exchange_why_not(&run->prefix);
    run->way = run->way_why ? WAY_FILES : WAY_EXCHANGE;
    return true;
}

/* What was changed by hand of that which does not stay as it is. */
static bool find_changed(const struct run *run, const struct ledger *next,
                         struct changed_files *files, struct error *error)
{
    AUTO_VERIFICATION struct verification found = {.files = 0};
    const struct prefix *prefix = &run->prefix;
    AUTO_CLOSE int fd =
        openat(prefix->parent_fd, prefix->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return error_set_errno(error, ERROR_NO_INPUT, errno, prefix->path,
                               "cannot open the prefix");
    for (size_t i = 0; i < prefix->ledger.file_count; i++) {
        const struct ledger_file *file = &prefix->ledger.files[i];
        const struct ledger_file *then = ledger_find(next, file->path);
        if (file->type == LEDGER_DIRECTORY_ENTRY || (then && then->is_there))
            continue;
        if (!verify_file(fd, prefix->path, file, VERIFY_BYTES, &found, error))
            return false;
    }
    for (size_t i = 0; i < found.changed.count; i++) {
        const struct verify_row *row = &found.changed.items[i];
        if (ledger_find(next, row->path))
            strlist_add(&files->replaced, row->path);
        else if (!run->request->force || (row->is_other && row->is_directory))
            strlist_add(&files->stays, row->path);
    }
    return true;
}

/* Directories that hold what stays are removed as far as they are empty: not at all. */
static void list_removed(const struct ledger *ledger, const struct changed_files *files,
                         struct ledger *next)
{
    for (size_t i = 0; i < ledger->file_count; i++) {
        const char *path = ledger->files[i].path;
        if (ledger_find(next, path) == NULL && !strlist_has(&files->stays, path))
            strlist_add(&next->remove, path);
    }
}

static bool change_files(struct run *run, struct stage *stage, struct ledger *next,
                         const struct changed_files *files, struct error *error)
{
    AUTO_CLOSE int fresh =
        openat(stage->fd, "new", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fresh < 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, run->prefix.path,
                               "cannot open the staged files");
    tree_remove(fresh, LEDGER_DIRECTORY, run->prefix.path, NULL);
    if (!stage->is_inside && !stage_move_inside(stage, error))
        return false;
    list_removed(&run->prefix.ledger, files, next);
    next->undoes = run->undoes;
    return run_ledger_can_be_read(next, error) && !run_interrupted(run, error) &&
           pending_begin(&run->prefix, stage, next, error) &&
           pending_complete(&run->prefix, BEGUN_NOW, error);
}

/* The old tree is in the stage. */
static bool take_late(const struct exchange *exchange, const struct stage *stage,
                      struct error *error)
{
    AUTO_CLOSE int old = openat(stage->fd, "tree", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (old >= 0)
        return late_take(exchange, old, NULL, error);
    return error_set_errno(error, ERROR_CANNOT_WRITE, errno, exchange->prefix->path,
                           "the tree is in place, but the old tree cannot be searched");
}

/* *ret_other: nothing was changed, and the other way may do. */
static bool change_tree(struct run *run, struct stage *stage, struct ledger *next,
                        const struct changed_files *files, bool *ret_other, struct error *error)
{
    const struct exchange exchange = {.prefix = &run->prefix, .next = next, .stays = &files->stays};
    *ret_other = false;
    if (!run_ledger_write(stage, "new", next, error) ||
        !exchange_assemble(&exchange, stage, ret_other, error) || run_interrupted(run, error))
        return false;
    enum exchange_result result = exchange_commit(stage, error);
    *ret_other = result == EXCHANGE_REFUSED;
    if (result == EXCHANGE_REFUSED || result == EXCHANGE_FAILED)
        return false;
    bool kept = take_late(&exchange, stage, error);
    if (result == EXCHANGE_UNCONFIRMED || !kept)
        stage_leave(stage);
    ledger_free(&run->prefix.ledger);
    run->prefix.ledger = *next;
    *next = (struct ledger){.gpuenv = NULL};
    return result == EXCHANGE_DONE && kept;
}

static bool change_staged(struct run *run, struct stage *stage, struct ledger *next,
                          const struct changed_files *files, struct error *error)
{
    AUTO_ERROR struct error refused = {0};
    bool other = false;
    if (run->way == WAY_FILES)
        return change_files(run, stage, next, files, error);
    if (change_tree(run, stage, next, files, &other, &refused))
        return true;
    if (other) {
        run->way = WAY_FILES;
        run->way_why = mem_string(refused.why ? refused.why : refused.what);
        progress_note(run->progress, "the trees cannot be exchanged (%s); changing file by file",
                      run->way_why);
        return change_files(run, stage, next, files, error);
    }
    return error_move(&refused, error);
}

bool run_change(struct run *run, struct ledger *next, struct changed_files *ret_files,
                struct error *error)
{
    struct stage stage = {.fd = -1};
    AUTO_LEDGER struct ledger kept = {.gpuenv = NULL};
    struct prefix *prefix = &run->prefix;
    if (!(run->way == WAY_FILES ? stage_open_inside(prefix, &stage, error)
                                : stage_open(prefix, &stage, error)))
        return false;
    change_keep_files(&prefix->ledger, next, &kept);
    progress_total(run->progress, run->plan.download, (unsigned)plan_missing(&run->plan));
    bool ok = run_unpack(run, &stage, "new", &kept, next, error) &&
              find_changed(run, next, ret_files, error) &&
              pending_can_place(prefix, &stage, &ret_files->stays, &run->survey.foreign, error) &&
              change_staged(run, &stage, next, ret_files, error);
    AUTO_ERROR struct error left = {0};
    if (!stage_remove(&stage, ok ? &left : NULL) && ok) /* the next run tries again */
        progress_note(run->progress, "not all replaced files could be removed: %s: %s", left.where,
                      left.why);
    return ok;
}
