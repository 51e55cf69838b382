/* SPDX-License-Identifier: MIT */
#include "install/plan/plan.h"

#include <string.h>

#include "base/path.h"
#include "install/output/print.h"

void plan_item_clear(struct plan_item *item)
{
    free(item->product);
    free(item->release);
    free(item->component);
    free(item->version);
    free(item->platform);
    free(item->variant);
    free(item->path);
    free(item->cuda);
    free(item->url);
    free(item->licence);
    free(item->licence_path);
}

void plan_free(struct plan *plan)
{
    for (size_t i = 0; i < plan->item_count; i++)
        plan_item_clear(&plan->items[i]);
    free(plan->items);
    for (size_t i = 0; i < plan->excluded_count; i++) {
        free(plan->excluded[i].product);
        free(plan->excluded[i].component);
        free(plan->excluded[i].reason);
    }
    free(plan->excluded);
    strlist_free(&plan->licences);
    strlist_free(&plan->named);
    *plan = (struct plan){.items = NULL};
}

char *plan_item_target(const struct plan_item *item)
{
    static const char start[] = "linux-";
    const char *machine =
        string_starts(item->platform, start) ? item->platform + strlen(start) : item->platform;
    return mem_printf("%s-linux", machine);
}

bool plan_lacks_size(const struct plan *plan)
{
    for (size_t i = 0; i < plan->item_count; i++)
        if (!plan->items[i].there && plan->items[i].size == 0)
            return true;
    return false;
}

static bool string_has_step(const char *path, const char *step)
{
    size_t length = strlen(step);
    for (const char *at = path; (at = strstr(at, step)) != NULL; at++)
        if ((at == path || at[-1] == '/') && (at[length] == '/' || at[length] == '\0'))
            return true;
    return false;
}

/* "libcublas.so.12.8.4.1", and not "libfoo.sofa". */
static bool is_shared_library(const char *path)
{
    const char *name = path_base(path);
    const char *suffix = strstr(name, ".so");
    while (suffix && suffix[3] != '\0' && suffix[3] != '.')
        suffix = strstr(suffix + 1, ".so");
    return string_starts(name, "lib") && suffix != NULL;
}

bool plan_keeps(enum extent extent, const char *path, bool is_directory)
{
    if (extent != EXTENT_RUNTIME)
        return true;
    if (is_directory || string_has_step(path, "stubs"))
        return false; /* the directories of what is kept are made with it */
    return is_shared_library(path) || string_starts(path, "LICENSE");
}

/* Bytes of a finished tree for each byte of its archive, where the archive is not at hand: over
 * what was seen of real ones (xz of libraries and headers), so that what fits a plan fits. */
#define UNPACKED_RATIO 4

static uint64_t sum_checked(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static uint64_t estimate(uint64_t packed)
{
    uint64_t bytes;
    return __builtin_mul_overflow(packed, (uint64_t)UNPACKED_RATIO, &bytes) ? UINT64_MAX : bytes;
}

/* Components of one archive: it comes once. */
static bool comes_before(const struct plan *plan, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (!plan->items[i].there && plan->items[i].layout &&
            digest_equal(&plan->items[i].sha256, &plan->items[index].sha256))
            return true;
    return false;
}

void plan_sum(struct plan *plan, bool (*cached)(const void *context, const struct digest *digest),
              const void *context)
{
    uint64_t download = 0, unpacked = 0;
    for (size_t i = 0; i < plan->item_count; i++) {
        struct plan_item *item = &plan->items[i];
        if (item->there)
            continue;
        if (item->installed_size == 0) {
            item->installed_size = estimate(item->size);
            item->estimated = true;
        }
        item->cached = cached && cached(context, &item->sha256);
        if (!item->cached && !comes_before(plan, i))
            download = sum_checked(download, item->size);
        unpacked = sum_checked(unpacked, item->installed_size);
    }
    plan->download = download;
    plan->unpacked = unpacked;
    plan->staging = unpacked;
}

static bool refuse_space(struct error *error, const char *where, const char *what, uint64_t needed,
                         uint64_t there)
{
    char wanted[PRINT_SIZE], rest[PRINT_SIZE];
    error_set(error, ERROR_CANNOT_WRITE, "there is not enough space for %s", what);
    error_where(error, "%s", where);
    error_why(error, "up to %s are needed, but only %s are free", print_size(needed, wanted),
              print_size(there, rest));
    return error_next(error, "free some space, choose another --prefix or GPUENV_CACHE_DIR, or "
                             "install less: --profile runtime, --component=-NAME");
}

bool plan_fits(const struct plan *plan, const struct request *request, struct error *error)
{
    if (plan->knows_free_prefix && plan->staging > plan->free_prefix)
        return refuse_space(error, request->prefix, "the unpacked files", plan->staging,
                            plan->free_prefix);
    if (plan->knows_free_cache && plan->download > plan->free_cache)
        return refuse_space(error, plan->cache_path ? plan->cache_path : "the cache",
                            "the downloads", plan->download, plan->free_cache);
    uint64_t both = sum_checked(plan->staging, plan->download);
    if (plan->one_file_system && both > plan->free_prefix)
        return refuse_space(error, request->prefix, "the downloads and the unpacked files", both,
                            plan->free_prefix);
    return true;
}
