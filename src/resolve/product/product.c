/* SPDX-License-Identifier: MIT */
#include "resolve/product/product.h"

#include "resolve/engine/resolution.h"
#include "resolve/engine/words.h"
#include "manifest/toolkit/component.h"

/* Whether the row has files for that CUDA. A row without variants does not tell. */
static struct verdict verdict_of(const struct manifest_pin *pin, const struct version *cuda)
{
    char version[VERSION_TEXT_SIZE], major[VERSION_TEXT_SIZE];
    struct verdict verdict = {.fit = FIT_EXACT, .reason = "paired"};
    VERDICT_ROW(&verdict, pin);
    version_text(&pin->version, 0, version);
    version_text(cuda, 1, major);
    if (cuda->count == 0) {
        verdict.why =
            mem_printf("%s %s is listed; its CUDA version was not checked", pin->product, version);
    } else if (pin->variants.count == 0) {
        verdict.fit = FIT_UNKNOWN;
        verdict.reason = "variants_unknown";
        verdict.why =
            mem_printf("it is not known which CUDA version %s %s is for", pin->product, version);
    } else if (strlist_has(&pin->variants, major)) {
        verdict.why = mem_printf("%s %s has files for CUDA %s", pin->product, version, major);
    } else {
        AUTO_FREE char *variants = strlist_join(&pin->variants, ", ");
        verdict.fit = FIT_NO;
        verdict.reason = "no_pair";
        verdict.why = mem_printf("%s %s has files for CUDA %s, but none for CUDA %s", pin->product,
                                 version, variants, major);
    }
    return verdict;
}

/* What the product's components need of GPUs; count 0: nothing is stated. */
static struct version floor_of(const struct resolve_context *context, const char *product)
{
    size_t count;
    struct version floor = {.count = 0};
    const struct manifest_component *rows = manifest_component_all(context->manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].product, product) &&
            version_compare(&rows[i].capability_min, &floor) > 0)
            floor = rows[i].capability_min;
    return floor;
}

/* A GPU that is too old for the product takes the verdict over. */
static void measure_by_gpus(const struct resolve_context *context, const char *product,
                            struct verdict *verdict)
{
    const struct version floor = floor_of(context, product);
    char text[VERSION_TEXT_SIZE];
    for (size_t i = 0; floor.count && i < context->machine.gpu_count; i++) {
        const struct resolve_gpu *gpu = &context->machine.gpus[i];
        if (gpu->capability.count == 0 || version_compare(&gpu->capability, &floor) >= 0)
            continue;
        AUTO_FREE char *name = words_gpu(gpu);
        free(verdict->why);
        verdict->fit = FIT_NO;
        verdict->reason = "build_drops_gpu";
        verdict->gpu = gpu;
        verdict->why = mem_printf("%s needs compute capability %s or higher, and %s is below that",
                                  product, version_text(&floor, 0, text), name);
        return;
    }
}

/* The product's rows: first and count. */
static const struct manifest_pin *rows_of(const struct resolve_context *context,
                                          const char *product, size_t *ret_count)
{
    size_t count, end;
    const struct manifest_pin *rows = manifest_pin_all(context->manifest, &count);
    size_t first = 0;
    while (first < count && !string_equal(rows[first].product, product))
        first++;
    for (end = first; end < count && string_equal(rows[end].product, product);)
        end++;
    *ret_count = end - first;
    return rows + first;
}

/* Of some products no row tells the CUDA: then it cannot be what decides. */
static bool tells_cuda(const struct manifest_pin *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].variants.count)
            return true;
    return false;
}

/* Takes the candidate, or says why not. tells: rows of the product tell their CUDA. */
static bool is_eligible(const struct resolve_context *context, const struct request *request,
                        const struct manifest_pin *pin, bool tells,
                        struct resolve_candidate *candidate)
{
    bool named = request->within.count >= pin->version.count;
    if (!request_has(request, &pin->version))
        candidate_turn_down(candidate, "outside_request", "it does not match %s", request->asked);
    else if (candidate->fit == FIT_NO || (candidate->fit == FIT_UNKNOWN && !named && tells))
        candidate_turn_down(candidate, candidate->reason, NULL);
    else if (pin->superseded.count && !named)
        candidate_turn_down(candidate, "superseded",
                            "a later file for the same release contains more");
    else if (!pin_has_platform(context, pin))
        candidate_turn_down(candidate, "no_platform", "%s %s has no files for this architecture",
                            pin->product, candidate->version);
    else if (!manifest_pin_is_pinned(pin) && !named)
        candidate_turn_down(candidate, "no_pin",
                            "this manifest has no checksums for %s %s: it is chosen only if its "
                            "full version is given",
                            pin->product, candidate->version);
    else
        return true;
    return false;
}

/* Of builds for several CUDA versions, where nothing tells which: the newest. NULL: none is for one
 * CUDA alone. */
static char *newest_build(const struct manifest_pin *pin)
{
    struct version newest = {.count = 0}, variant;
    char text[VERSION_TEXT_SIZE];
    for (size_t i = 0; i < pin->variants.count; i++)
        if (version_parse(pin->variants.items[i], &variant) &&
            (newest.count == 0 || version_compare(&variant, &newest) > 0))
            newest = variant;
    return newest.count ? mem_printf("cuda%s", version_text(&newest, 0, text)) : NULL;
}

static void choose(struct resolve_context *context, const struct resolve_candidate *candidate,
                   const struct manifest_pin *pin, const struct version *cuda, bool tells)
{
    char major[VERSION_TEXT_SIZE];
    const struct version *version = &pin->version;
    struct resolve_choice *choice = choice_add(context, candidate);
    choice->rule = candidate->fit == FIT_EXACT && cuda->count ? "paired" : "newest";
    if (candidate->fit == FIT_UNKNOWN && tells)
        choice->rule = "asked";
    if (candidate->fit == FIT_UNKNOWN)
        strlist_add(&choice->limits, "it is not known which CUDA version this release is for");
    bool is_unseen = pin->platforms.count == 0; /* a list that nobody has seen may have several */
    if (cuda->count == 0)
        choice->build = newest_build(pin);
    else if (candidate->fit == FIT_EXACT || is_unseen)
        choice->build = mem_printf("cuda%s", version_text(cuda, 1, major));
    if (!pin_is_pinned(candidate->pin))
        choice->install = words_install(context, candidate->product, version, NULL);
}

bool product_choose(struct resolve_context *context, const struct request *request,
                    const char *product, const struct version *cuda)
{
    size_t count;
    const struct manifest_pin *rows = rows_of(context, product, &count);
    struct listing listing = {.first = context->resolution->candidate_count, .count = count};
    size_t chosen = count;
    bool tells = tells_cuda(rows, count);
    for (size_t i = 0; i < count; i++) {
        const struct manifest_pin *pin = &rows[count - 1 - i];
        AUTO_FREE char *version = words_version(&pin->version);
        struct verdict verdict = verdict_of(pin, cuda);
        measure_by_gpus(context, pin->product, &verdict);
        struct resolve_candidate *candidate =
            candidate_add(context, pin->product, version, NULL, &verdict);
        candidate->pin = pin->pin;
        if (chosen == count && is_eligible(context, request, pin, tells, candidate))
            chosen = i;
    }
    listing_turn_down(context, &listing, chosen);
    if (chosen < count) {
        choose(context, listing_at(context, &listing, chosen), &rows[count - 1 - chosen], cuda,
               tells);
        return true;
    }
    return listing_fail(context, &listing, request, product, product, &rows[count - 1].version);
}
