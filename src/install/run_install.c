/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/shell.h"
#include "install/prefix/read_only.h"
#include "install/prefix/stage.h"
#include "install/print/envelope.h"
#include "install/print/print_plan.h"
#include "install/print/print_prefix.h"
#include "install/run/run.h"
#include "install/run/run_archive.h"
#include "install/run/run_catalog.h"
#include "install/run/run_change.h"
#include "install/run/run_ledger.h"
#include "install/run/run_lock.h"
#include "install/run/run_plan.h"
#include "install/run/run_single.h"
#include "install/run/run_unpack.h"
#include "install/run_install.h"

/* plan and install: the same up to the point where the plan is known to fit. */

bool run_open_sources(struct run *run, struct error *error)
{
    const struct strlist *mirrors = &run->request->mirrors;
    size_t count = mirrors->count > 0 ? mirrors->count : 1;
    for (size_t i = 0; i < count; i++) {
        struct mirror mirror;
        if (!mirror_parse(mirrors->count > 0 ? mirrors->items[i] : MIRROR_NVIDIA, &mirror, error))
            return false;
        *vec_push(run->mirrors, run->mirror_count, run->mirror_capacity) = mirror;
    }
    return true;
}

static bool refuse_prefix(const struct run *run, struct error *error)
{
    if (run->prefix.state == PREFIX_OURS)
        return prefix_refuse_unfinished(&run->prefix, error);
    error_set(error, ERROR_CANNOT_WRITE, "the prefix exists, but gpuenv did not create it");
    error_where(error, "%s", run->prefix.path);
    return error_next(error, "choose another --prefix, or move that directory away");
}

static bool is_cached(const void *context, const struct digest *digest)
{
    return cache_has(context, digest);
}

static void look_at_space(struct run *run, int nearest)
{
    struct statvfs space;
    struct stat status;
    struct plan *plan = &run->plan;
    uint64_t cache_system = 0;
    plan->knows_free_prefix = nearest >= 0 && fstatvfs(nearest, &space) == 0;
    if (plan->knows_free_prefix)
        plan->free_prefix = (uint64_t)space.f_bavail * space.f_frsize;
    plan->knows_free_cache = cache_space(run->cache, &plan->free_cache, &cache_system);
    if (plan->knows_free_cache && plan->knows_free_prefix && fstat(nearest, &status) == 0)
        plan->one_file_system = (uint64_t)status.st_dev == cache_system;
}

bool run_open_cache(struct run *run, struct error *error)
{
    const struct request *request = run->request;
    AUTO_CLOSE int nearest = prefix_open_nearest(&run->prefix);
    run->progress = progress_new(request->progress, request->quiet, error);
    run->cache = cache_open(request->no_cache, nearest, error);
    if (run->progress == NULL || run->cache == NULL)
        return false;
    if (cache_note(run->cache))
        progress_note(run->progress, "%s", cache_note(run->cache));
    return true;
}

bool run_sum_plan(struct run *run, struct error *error)
{
    AUTO_CLOSE int nearest = prefix_open_nearest(&run->prefix);
    plan_sum(&run->plan, is_cached, run->cache);
    look_at_space(run, nearest);
    run->plan.cache_path = cache_path(run->cache);
    return plan_fits(&run->plan, run->request, error);
}

static bool make_plan(struct run *run, struct error *error)
{
    return run_open_cache(run, error) && run_catalogs(run, error) &&
           run_plan_products(run, error) && run_take_archives(run, error) &&
           run_check_singles(run, error) && run_sum_plan(run, error);
}

bool run_licences_accepted(const struct run *run, struct error *error)
{
    if (run->request->accept_eula)
        return true;
    AUTO_FREE char *names = strlist_join(&run->plan.licences, "; ");
    error_set(error, ERROR_PERMISSION, "NVIDIA's licences must be accepted first");
    if (*names)
        error_where(error, "%s", names);
    return error_next(error,
                      "read the licences (gpuenv plan -v says where), then add --accept-eula");
}

static bool install_staged(struct run *run, struct error *error)
{
    AUTO_LEDGER struct ledger ledger = {.gpuenv = NULL};
    struct stage stage = {.fd = -1};
    if (!stage_open(&run->prefix, &stage, error))
        return false;
    run_ledger_begin(run, &ledger);
    progress_total(run->progress, run->plan.download, (unsigned)run->plan.item_count);
    bool ok = stage_can_hold(&stage, error) &&
              run_unpack(run, &stage, "tree", NULL, &ledger, error) &&
              run_ledger_write(&stage, "tree", &ledger, error) && !run_interrupted(run, error) &&
              stage_commit(&stage, "tree", error);
    stage_close(&stage);
    if (ok) {
        plan_measure(&run->plan, &ledger);
        run->prefix.ledger = ledger;
        ledger = (struct ledger){.gpuenv = NULL};
    }
    return ok;
}

static bool change_there(struct run *run, struct error *error)
{
    AUTO_LEDGER struct ledger next = {.gpuenv = NULL};
    struct changed_files files = {.stays = {0}};
    run_ledger_begin(run, &next);
    bool ok = run_change(run, &next, &files, error);
    if (ok) {
        plan_measure(&run->plan, &run->prefix.ledger);
        print_changed_files(run, &files);
    }
    changed_files_free(&files);
    return ok;
}

/* The lock file is written before anything is fetched. */
static char *what_is_done(const struct run *run)
{
    bool written =
        string_equal(run->lock_state, "written") || string_equal(run->lock_state, "updated");
    return written ? mem_printf("%s is written, and nothing was installed", run->request->lock_path)
                   : mem_string("nothing was installed");
}

/* What to do about it, where nothing nearer to the fault said so. */
static void advise(const struct run *run, struct error *error)
{
    AUTO_FREE char *done = what_is_done(run);
    if (error->kind == ERROR_INTERRUPTED)
        error_next(error, "%s; run the same command again to resume", done);
    else if (error->kind == ERROR_CANNOT_WRITE && error->next == NULL)
        error_next(error,
                   "%s; the downloads are kept: check the file system of %s (full? read-only?), or "
                   "choose another --prefix, and run the same command again",
                   done, run->prefix.path);
}

/* The directory above may not have been there, and so nothing that could be locked. */
static bool reopen_prefix(struct run *run, struct error *error)
{
    const struct request *request = run->request;
    if (run->prefix.is_open)
        return true;
    prefix_close(&run->prefix);
    return prefix_open(&run->image, request->prefix, true, true, request->lock_timeout_s,
                       &run->prefix, error);
}

/* Opens no socket, and reads nothing but the ledger. */
static bool do_nothing(struct run *run, struct text *output, struct error *error)
{
    size_t count = run->request->product_count;
    plan_free(&run->plan);
    free(run->pins);
    run->pins = mem_alloc((count + 1) * sizeof(*run->pins));
    for (size_t i = 0; i < count; i++)
        run->pins[i] =
            ledger_product_find(&run->prefix.ledger, run->request->products[i].product)->pin;
    if (print_is_json(run))
        plan_of_ledger(&run->plan, &run->prefix.ledger, run->request);
    if (!run_lock_write(run, error))
        return false;
    print_plan(run, PRINT_NOTHING_TO_DO, output);
    return true;
}

/* A lock file does not say where to: it can be made where the usual prefix is another's. */
static bool is_for_lock(const struct run *run)
{
    const struct request *request = run->request;
    return request->action == ACTION_PLAN && request->lock_path && !request->use &&
           !request->ldconfig && string_equal(request->prefix, request->usual_prefix);
}

static bool can_be_written(struct run *run, struct error *error)
{
    bool for_lock = is_for_lock(run);
    if (read_only_check_prefix(&run->prefix, for_lock ? NULL : error))
        return true;
    if (for_lock && run->other_prefix_reason == NULL)
        run->other_prefix_reason = mem_printf(
            "%s is on a read-only file system: install needs another --prefix", run->prefix.path);
    return for_lock;
}

/* Nothing is to be done, or nothing can be done. */
static bool is_decided(struct run *run, struct text *output, bool *ret_ok, struct error *error)
{
    const struct prefix *prefix = &run->prefix;
    *ret_ok = false;
    if (prefix->state == PREFIX_FOREIGN && is_for_lock(run)) {
        run->other_prefix_reason =
            mem_printf("%s exists, but gpuenv did not create it: install needs another --prefix",
                       prefix->path);
    } else if (prefix->state == PREFIX_FOREIGN || prefix_is_unfinished(prefix)) {
        refuse_prefix(run, error);
        return true;
    }
    if (!run_find_change(run, error))
        return true;
    if (!change_is_needed(&run->change)) {
        *ret_ok = do_nothing(run, output, error);
        return true;
    }
    *ret_ok = prefix->state == PREFIX_OURS || /* whether anything changes is not known yet */
              (can_be_written(run, error) &&
               (prefix->state != PREFIX_ABSENT || prefix_can_take(prefix, error)));
    return !*ret_ok;
}

/* True: there is a plan to be gone on with. False: it has ended, as *ret_ok says. */
static bool has_plan(struct run *run, struct text *output, bool *ret_ok, struct error *error)
{
    *ret_ok = false;
    if (!run_open_sources(run, error) || is_decided(run, output, ret_ok, error))
        return false;
    *ret_ok = false;
    if (!run_find_way(run, error) || !make_plan(run, error))
        return false;
    if (change_is_needed(&run->change))
        return run->prefix.state != PREFIX_OURS || can_be_written(run, error);
    *ret_ok = do_nothing(run, output, error); /* which the ledger alone did not tell */
    return false;
}

bool run_plan(struct run *run, struct text *output, struct error *error)
{
    bool ok = false;
    if (!has_plan(run, output, &ok, error))
        return ok;
    if (!run_lock_write(run, error))
        return false;
    print_plan(run, PRINT_PLANNED, output);
    return true;
}

/* Another gpuenv was there first. What was planned is for what was there before. */
static bool refuse_meanwhile(const struct run *run, struct error *error)
{
    error_set(error, ERROR_BUSY,
              "another gpuenv process has installed into this prefix in the meantime");
    error_where(error, "%s", run->prefix.path);
    return error_next(error, "run the same command again");
}

/* From here on directories are made: a signal must find its way through all that is begun. */
static bool install_planned(struct run *run, struct text *output, struct error *error)
{
    bool ok = false;
    if (!interrupt_hold(&run->interrupt, error))
        return false;
    if (!run->prefix.is_open) {
        if (!reopen_prefix(run, error))
            return run_interrupted(run, error) && false;
        if (run->prefix.state != PREFIX_ABSENT)
            return is_decided(run, output, &ok, error) ? ok : refuse_meanwhile(run, error);
    }
    if (run->prefix.state == PREFIX_OURS ? change_there(run, error) : install_staged(run, error)) {
        print_plan(run, PRINT_INSTALLED, output);
        return true;
    }
    prefix_unmake(&run->prefix);
    advise(run, error);
    return false;
}

bool run_install(struct run *run, struct text *output, struct error *error)
{
    bool ok = false;
    if (!has_plan(run, output, &ok, error))
        return ok;
    return run_licences_accepted(run, error) && run_lock_write(run, error) &&
           install_planned(run, output, error);
}
