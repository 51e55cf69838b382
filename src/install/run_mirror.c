/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>
#include <sys/statvfs.h>

#include "install/mirror_directory.h"
#include "install/output/print.h"
#include "install/prefix/read_only.h"
#include "install/print/print_mirror.h"
#include "install/run/run.h"
#include "install/run/run_archive.h"
#include "install/run/run_catalog.h"
#include "install/run/run_lock.h"
#include "install/run/run_lock_plan.h"
#include "install/run/run_single.h"
#include "install/run_install.h"
#include "install/run_mirror.h"

/* gpuenv mirror: the same plans as an install, for each platform; archives are kept, not unpacked.
 */

/* A plan of its own, so that what a platform lacks is not found in another one's. */
static bool plan_platform(struct run *run, const char *platform, struct error *error)
{
    AUTO_PLAN struct plan plan = {.items = NULL};
    struct request request = *run->request;
    request.platform = (char *)(uintptr_t)platform;
    for (size_t i = 0; i < request.product_count; i++)
        if (!plan_add(&plan, &run->catalogs[i], &request, &request.products[i], run->manifest,
                      error))
            return false;
    for (size_t i = 0; i < plan.item_count; i++)
        *vec_push(run->plan.items, run->plan.item_count, run->plan.item_capacity) = plan.items[i];
    plan.item_count = 0; /* they are the other plan's now */
    for (size_t i = 0; i < plan.named.count; i++)
        strlist_add_new(&run->plan.named, plan.named.items[i]);
    for (size_t i = 0; i < plan.licences.count; i++)
        strlist_add_new(&run->plan.licences, plan.licences.items[i]);
    return true;
}

static bool plan_locked(struct run *run, const char *platform, struct error *error)
{
    for (size_t i = 0; i < run->request->product_count; i++)
        if (!run_plan_locked(run, i, platform, error))
            return false;
    return true;
}

static int compare_items(const void *a, const void *b)
{
    return strcmp(((const struct plan_item *)a)->path, ((const struct plan_item *)b)->path);
}

/* What is the same for all platforms is wanted once. */
static void drop_doubles(struct plan *plan)
{
    size_t kept = 0;
    if (plan->item_count > 1)
        qsort(plan->items, plan->item_count, sizeof(*plan->items), compare_items);
    for (size_t i = 0; i < plan->item_count; i++) {
        struct plan_item item = plan->items[i];
        bool again = kept > 0 && string_equal(plan->items[kept - 1].path, item.path);
        if (again) {
            plan_item_clear(&item);
            continue;
        }
        plan->items[kept++] = item;
    }
    plan->item_count = kept;
}

static bool make_plan(struct run *run, struct error *error)
{
    const struct strlist *platforms = &run->request->asked_platforms;
    bool locked = run_is_locked(run);
    if (!run_catalogs(run, error))
        return false;
    for (size_t i = 0; i < platforms->count; i++)
        if (!(locked ? plan_locked(run, platforms->items[i], error)
                     : plan_platform(run, platforms->items[i], error)))
            return false;
    if (!locked && !plan_components_known(&run->plan, run->request, error))
        return false;
    strlist_sort(&run->plan.licences);
    drop_doubles(&run->plan);
    return run_take_archives(run, error);
}

/* All files that something else stands in the way of, at once. */
static bool refuse_others(const struct mirror_directory *mirror, const struct strlist *others,
                          struct error *error)
{
    if (others->count == 0 || mirror->run->request->force)
        return true;
    AUTO_FREE char *list = strlist_join(others, ", ");
    error_set(error, ERROR_CANNOT_WRITE,
              others->count == 1 ? "another file has the name of a new file"
                                 : "other files have the names of %zu new files",
              others->count);
    error_where(error, "%s: %s", mirror->path, list);
    return error_next(error, "check and remove that file, or replace it with --force");
}

static bool look_at_archives(struct mirror_directory *mirror, struct strlist *others,
                             struct error *error)
{
    struct plan *plan = &mirror->run->plan;
    plan->download = 0;
    for (size_t i = 0; i < plan->item_count; i++) {
        struct plan_item *item = &plan->items[i];
        enum mirror_directory_state state;
        if (item->layout && item->size == 0)
            item->size = run_single_size(mirror->run, item);
        if (!mirror_directory_look(mirror, item->path, item->size, &item->sha256, &state, error))
            return false;
        item->cached = state == MIRROR_DIRECTORY_WHOLE;
        if (state == MIRROR_DIRECTORY_OTHER)
            strlist_add(others, item->path);
        if (!item->cached && __builtin_add_overflow(plan->download, item->size, &plan->download))
            plan->download = UINT64_MAX;
    }
    return true;
}

/* In missing: "1" for each product whose list is to be written. */
static bool look_at_catalogs(struct mirror_directory *mirror, struct strlist *others,
                             struct strlist *missing, struct error *error)
{
    const struct run *run = mirror->run;
    for (size_t i = 0; i < run->request->product_count; i++) {
        enum mirror_directory_state state;
        if (run->catalogs[i].is_single) {
            strlist_add(missing, "");
            continue;
        }
        AUTO_FREE char *path = run_catalog_path(&run->request->products[i]);
        if (!mirror_directory_look_text(mirror, path, &run->catalog_texts[i], &state, error))
            return false;
        if (state == MIRROR_DIRECTORY_OTHER)
            strlist_add(others, path);
        strlist_add(missing, state == MIRROR_DIRECTORY_WHOLE ? "" : "1");
    }
    return true;
}

static bool fits(struct mirror_directory *mirror, struct error *error)
{
    struct statvfs space;
    struct plan *plan = &mirror->run->plan;
    char wanted[PRINT_SIZE], there[PRINT_SIZE];
    plan->knows_free_prefix = mirror->fd >= 0 && fstatvfs(mirror->fd, &space) == 0;
    if (!plan->knows_free_prefix)
        return true;
    plan->free_prefix = (uint64_t)space.f_bavail * space.f_frsize;
    if (plan->download <= plan->free_prefix)
        return true;
    error_set(error, ERROR_CANNOT_WRITE, "there is not enough space for the mirror");
    error_where(error, "%s", mirror->path);
    error_why(error, "%s are still to be downloaded, but only %s are free",
              print_size(plan->download, wanted), print_size(plan->free_prefix, there));
    return error_next(error, "free some space, choose another directory, or copy less: --profile "
                             "runtime, --component=-NAME");
}

/* A dry run says what the run itself would. */
static bool can_be_written(const struct mirror_directory *mirror, const struct strlist *missing,
                           struct error *error)
{
    const struct plan *plan = &mirror->run->plan;
    bool comes = strlist_has(missing, "1");
    for (size_t i = 0; i < plan->item_count && !comes; i++)
        comes = !plan->items[i].cached;
    return !comes || read_only_check_mirror(mirror->path, error);
}

/* Lists go last: a mirror that has one has what it names. */
static bool put_catalogs(struct mirror_directory *mirror, const struct strlist *missing,
                         struct error *error)
{
    const struct run *run = mirror->run;
    for (size_t i = 0; i < missing->count; i++) {
        AUTO_FREE char *path = run_catalog_path(&run->request->products[i]);
        if (*missing->items[i] &&
            !mirror_directory_put_text(mirror, path, &run->catalog_texts[i], error))
            return false;
    }
    return true;
}

static bool carry_out(struct mirror_directory *mirror, const struct strlist *missing,
                      struct error *error)
{
    struct run *run = mirror->run;
    size_t count = 0;
    for (size_t i = 0; i < run->plan.item_count; i++)
        count += !run->plan.items[i].cached;
    if ((count > 0 && !run_licences_accepted(run, error)) || !run_lock_write(run, error) ||
        !interrupt_hold(&run->interrupt, error))
        return false;
    progress_total(run->progress, run->plan.download, (unsigned)count);
    if (mirror_directory_fetch_licences(mirror, error) && mirror_directory_fetch(mirror, error) &&
        put_catalogs(mirror, missing, error) && !run_interrupted(run, error))
        return true;
    if (error->kind == ERROR_INTERRUPTED)
        error_next(error, "run the same command again to resume");
    return false;
}

static bool mirror_run(struct mirror_directory *mirror, struct text *output, struct error *error)
{
    struct run *run = mirror->run;
    AUTO_STRLIST struct strlist others = {0};
    AUTO_STRLIST struct strlist missing = {0};
    if (!make_plan(run, error) || !look_at_archives(mirror, &others, error) ||
        !run_check_singles(run, error) || !look_at_catalogs(mirror, &others, &missing, error) ||
        !refuse_others(mirror, &others, error) || !can_be_written(mirror, &missing, error) ||
        !fits(mirror, error))
        return false;
    bool dry = run->request->dry_run;
    if (!(dry ? run_lock_write(run, error) : carry_out(mirror, &missing, error)))
        return false;
    print_mirror(run, mirror->came, mirror->files, output);
    return true;
}

bool run_mirror(struct run *run, struct text *output, struct error *error)
{
    struct mirror_directory mirror = {.fd = -1};
    const struct request *request = run->request;
    run->keeps_catalogs = true;
    bool ok = run_open_sources(run, error) && mirror_directory_open(run, &mirror, error);
    run->progress = ok ? progress_new(request->progress, request->quiet, error) : NULL;
    run->cache = run->progress ? cache_open(request->no_cache, mirror.fd, error) : NULL;
    ok = run->cache && mirror_run(&mirror, output, error);
    ok = mirror_directory_close(&mirror, ok ? error : NULL) && ok;
    return ok;
}
