/* SPDX-License-Identifier: MIT */
#include "resolve/product/cuda.h"

#include "manifest/versions/cuda.h"
#include "resolve/engine/fit.h"
#include "resolve/engine/resolution.h"
#include "resolve/engine/words.h"

static const char product[] = "cuda";

/* A GPU that a toolkit has dropped is the graver reason: no driver fixes it. */
static void add_driver_too(const struct resolve_context *context, struct verdict *gpu,
                           const struct verdict *driver)
{
    if (!string_equal(driver->reason, "driver_too_old"))
        return;
    AUTO_FREE char *words = words_driver(context);
    char *both = mem_printf("%s, and %s is too old for this CUDA", gpu->why, words);
    free(gpu->why);
    gpu->why = both;
}

struct verdict cuda_verdict(const struct resolve_context *context, const struct version *cuda)
{
    struct verdict gpus[2] = {fit_driver_gpus(context), fit_toolkit_gpus(context, cuda)};
    struct verdict gpu = fit_worst(gpus, 2);
    struct verdict driver = fit_driver_cuda(context, cuda);
    if (gpu.fit == FIT_EXACT || gpu.fit < driver.fit) {
        free(gpu.why);
        return driver;
    }
    if (gpu.fit == FIT_NO)
        add_driver_too(context, &gpu, &driver);
    free(driver.why);
    return gpu;
}

struct listing cuda_list(struct resolve_context *context)
{
    size_t count;
    const struct manifest_cuda *rows = manifest_cuda_all(context->manifest, &count);
    struct listing listing = {.first = context->resolution->candidate_count, .count = count};
    for (size_t i = count; i > 0; i--) {
        const struct manifest_cuda *row = &rows[i - 1];
        AUTO_FREE char *version = words_version(&row->version);
        struct verdict verdict = cuda_verdict(context, &row->version);
        struct resolve_candidate *candidate =
            candidate_add(context, product, version, NULL, &verdict);
        candidate->pin = pin_name(context->manifest, product, &row->version, NULL);
        if (candidate->row == NULL)
            VERDICT_ROW(candidate, row);
    }
    return listing;
}

/* The manifest's row of a listed candidate. */
static const struct manifest_cuda *row_at(const struct resolve_context *context, size_t index)
{
    size_t count;
    const struct manifest_cuda *rows = manifest_cuda_all(context->manifest, &count);
    return &rows[count - 1 - index];
}

/* Whether the request takes it, apart from pins. */
static bool is_eligible(const struct resolve_context *context, const struct request *request,
                        const struct manifest_cuda *row, struct resolve_candidate *candidate)
{
    const struct manifest_pin *pin;
    pin_name(context->manifest, product, &row->version, &pin);
    if (!request_has(request, &row->version))
        candidate_turn_down(candidate, "outside_request", "it does not match %s", request->asked);
    else if (!candidate_runs(candidate) && !(request->full && candidate->fit == FIT_UNKNOWN))
        candidate_turn_down(candidate, candidate->reason, NULL);
    else if (manifest_cuda_is_early(row) && !request->full)
        candidate_turn_down(candidate, "not_released",
                            "CUDA %s is a %s: it is chosen only if its full version is given",
                            candidate->version,
                            string_equal(row->stage, "rc") ? "release candidate" : "preview");
    else if (!pin_has_platform(context, pin))
        candidate_turn_down(candidate, "no_platform", "CUDA %s has no files for %s",
                            candidate->version, context->machine.architecture);
    else
        return true;
    return false;
}

static bool has_pin(const struct request *request, struct resolve_candidate *candidate)
{
    if (request->full || pin_is_pinned(candidate->pin))
        return true;
    candidate_turn_down(candidate, "no_pin",
                        "this manifest has no checksums for CUDA %s: it is chosen only if its full "
                        "version is given",
                        candidate->version);
    return false;
}

/* The newest that is taken, where there is one with a pin: what fits and what can be installed are
 * two answers. listing->count: none. */
static size_t pick(const struct resolve_context *context, const struct listing *listing,
                   const struct request *request, const struct cuda_also *also)
{
    size_t unpinned = listing->count;
    for (size_t i = 0; i < listing->count; i++) {
        const struct manifest_cuda *row = row_at(context, i);
        struct resolve_candidate *candidate = listing_at(context, listing, i);
        if (!is_eligible(context, request, row, candidate) ||
            (also && !also->holds(context, &row->version, candidate, also->asked)))
            continue;
        if (has_pin(request, candidate))
            return i;
        if (unpinned == listing->count)
            unpinned = i;
    }
    return unpinned;
}

static size_t newest_exact(const struct resolve_context *context, const struct listing *listing)
{
    for (size_t i = 0; i < listing->count; i++) {
        const struct resolve_candidate *candidate = listing_at(context, listing, i);
        if (candidate->fit == FIT_EXACT && pin_is_pinned(candidate->pin) &&
            !manifest_cuda_is_early(row_at(context, i)))
            return i;
    }
    return listing->count;
}

static void choose(struct resolve_context *context, const struct listing *listing,
                   const struct request *request, size_t chosen)
{
    struct resolve_candidate *candidate = listing_at(context, listing, chosen);
    struct resolve_choice *choice = choice_add(context, candidate);
    choice->limit_gpu = listing_limit_gpu(context, listing, chosen);
    words_limits(candidate->fit, &choice->limits);
    if (request->wanted)
        choice->rule = "wanted";
    size_t exact = newest_exact(context, listing);
    if ((candidate->fit == FIT_MINOR || candidate->fit == FIT_COMPAT) && exact < listing->count)
        choice->exact = mem_string(listing_at(context, listing, exact)->version);
    if (candidate->fit == FIT_UNKNOWN && !candidate_runs(candidate))
        strlist_add(&choice->limits, "it is not known whether this version runs on this machine");
    if (!pin_is_pinned(candidate->pin))
        choice->install = words_install(context, product, &row_at(context, chosen)->version, NULL);
}

bool cuda_choose(struct resolve_context *context, const struct listing *listing,
                 const struct request *request, const struct cuda_also *also,
                 const struct manifest_cuda **ret_cuda)
{
    size_t chosen = pick(context, listing, request, also);
    if (chosen == listing->count && also)
        chosen = pick(context, listing, request, NULL); /* what is beside it says why */
    listing_turn_down(context, listing, chosen);
    if (chosen < listing->count) {
        choose(context, listing, request, chosen);
        *ret_cuda = row_at(context, chosen);
        return true;
    }
    return listing_fail(context, listing, request, product, "CUDA", &row_at(context, 0)->version);
}
