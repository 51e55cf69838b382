/* SPDX-License-Identifier: MIT */
#include "resolve/product/driver.h"

#include <string.h>

#include "manifest/manifest.h"
#include "manifest/versions/cuda.h"
#include "manifest/versions/driver.h"
#include "resolve/engine/fit.h"
#include "resolve/engine/resolution.h"
#include "resolve/engine/words.h"

static const char product[] = "driver";

void driver_needs_free(struct driver_needs *needs)
{
    for (size_t i = 0; i < needs->count; i++)
        free(needs->items[i].what);
    free(needs->items);
}

/* Of one need: its makers' minimum, then its CUDA. */
struct verdict driver_need_verdict(const struct resolve_context *context,
                                   const struct driver_need *need)
{
    char driver[VERSION_TEXT_SIZE];
    AUTO_FREE char *words = words_driver(context);
    const struct version *have = &context->machine.driver;
    if (have->count && need->driver_min.count && version_compare(have, &need->driver_min) < 0)
        return (struct verdict){
            .fit = FIT_NO,
            .reason = "driver_too_old",
            .why = mem_printf("%s needs driver %s, and %s is older", need->what,
                              version_text(&need->driver_min, 0, driver), words),
        };
    if (need->cuda.count == 0)
        return (struct verdict){.fit = FIT_EXACT,
                                .reason = "driver_new_enough",
                                .why = mem_printf("%s runs %s", words, need->what)};
    struct verdict verdict = fit_driver_cuda(context, &need->cuda);
    if (need->exact && verdict.fit == FIT_MINOR) {
        free(verdict.why);
        verdict.fit = FIT_NO;
        verdict.reason = "driver_too_old_for_ptx";
        verdict.why =
            mem_printf("%s has only PTX for this GPU, and %s does not compile PTX of CUDA %s",
                       need->what, words, version_text(&need->cuda, 2, driver));
    }
    return verdict;
}

/* A branch as it is looked at. */
struct offer {
    const struct manifest_branch *branch;
    struct version driver; /* count 0: no release of it is known */
};

static struct offer offer_at(const struct resolve_context *context, const struct request *request,
                             size_t index)
{
    size_t count;
    const struct manifest_branch *rows = manifest_branch_all(context->manifest, &count);
    struct offer offer = {.branch = &rows[count - 1 - index]};
    offer.driver = offer.branch->latest;
    if (request->within.count > 1 && request->within.part[0] == offer.branch->branch)
        offer.driver = request->within;
    return offer;
}

/* True when support ended before the manifest's date; a month lasts to its end. */
static bool has_ended(const struct resolve_context *context, const struct manifest_branch *branch)
{
    const char *today = manifest_date(context->manifest);
    return branch->eol && today && strncmp(today, branch->eol, strlen(branch->eol)) > 0;
}

static bool is_long_lived(const struct manifest_branch *branch)
{
    return string_equal(branch->kind, "lts") || string_equal(branch->kind, "production");
}

static char *branch_words(const struct manifest_branch *branch)
{
    if (branch->kind == NULL)
        return mem_printf("R%u, whose kind is not known", branch->branch);
    if (branch->eol == NULL)
        return mem_printf("R%u (%s, end of life not known)", branch->branch, branch->kind);
    return mem_printf("R%u (%s, supported until %s)", branch->branch, branch->kind, branch->eol);
}

/* The driver as if it were the machine's. */
static struct resolve_context with_driver(const struct resolve_context *context,
                                          const struct version *driver)
{
    struct resolve_context with = *context;
    with.machine.driver = *driver;
    with.machine.driver_api = (struct version){.count = 0};
    with.machine.driver_assumed = false;
    with.machine.compat_count = 0;
    return with;
}

static struct verdict module_verdict(const struct driver_module *module)
{
    if (!module->must_be_open || !module->must_be_proprietary)
        return (struct verdict){.fit = FIT_EXACT};
    AUTO_FREE char *open = words_gpu(module->open_gpu);
    AUTO_FREE char *proprietary = words_gpu(module->proprietary_gpu);
    return (struct verdict){
        .fit = FIT_NO,
        .reason = "module_conflict",
        .why = mem_printf("%s needs the open kernel module and %s the proprietary module: no "
                          "driver supports both GPUs",
                          open, proprietary),
        .gpu = module->proprietary_gpu,
    };
}

/* GPUs, module and every need; a branch without objections says what it is. */
static struct verdict offer_verdict(const struct resolve_context *context,
                                    const struct offer *offer, const struct driver_needs *needs)
{
    struct driver_module module = driver_module_of(context);
    struct resolve_context with = with_driver(context, &offer->driver);
    if (offer->driver.count == 0)
        return (struct verdict){
            .fit = FIT_UNKNOWN,
            .reason = "not_released",
            .why = mem_printf("no release of R%u is known", offer->branch->branch),
            .row = offer->branch->id,
            .source = offer->branch->source,
            .confidence = offer->branch->confidence,
            .notes = offer->branch->notes,
        };
    struct verdict pair[2] = {module_verdict(&module), fit_driver_gpus(&with)};
    pair[0] = fit_worst(pair, 2);
    for (size_t i = 0; i < needs->count; i++) {
        pair[1] = driver_need_verdict(&with, &needs->items[i]);
        pair[0] = fit_worst(pair, 2);
    }
    if (pair[0].fit == FIT_EXACT) {
        AUTO_FREE char *words = branch_words(offer->branch);
        AUTO_FREE char *driver = words_driver(&with);
        free(pair[0].why);
        pair[0] = (struct verdict){.fit = FIT_EXACT, .reason = "driver_fits"};
        pair[0].why = mem_printf("%s belongs to %s", driver, words);
    }
    if (pair[0].row == NULL)
        VERDICT_ROW(&pair[0], offer->branch);
    return pair[0];
}

static struct listing list(struct resolve_context *context, const struct request *request,
                           const struct driver_needs *needs)
{
    size_t count;
    manifest_branch_all(context->manifest, &count);
    struct listing listing = {.first = context->resolution->candidate_count, .count = count};
    for (size_t i = 0; i < count; i++) {
        struct offer offer = offer_at(context, request, i);
        struct version branch = {.part = {offer.branch->branch}, .count = 1};
        AUTO_FREE char *version = words_version(offer.driver.count ? &offer.driver : &branch);
        struct verdict verdict = offer_verdict(context, &offer, needs);
        candidate_add(context, product, version, NULL, &verdict);
    }
    return listing;
}

/* How good a branch is that runs, 0 the best: long-term support, production, others, ended ones.
 * Where a branch is named, it is the best. */
enum { GRADE_LTS, GRADE_PRODUCTION, GRADE_OTHER, GRADE_ENDED, GRADE_NONE };

static int grade(const struct resolve_context *context, const struct request *request,
                 const struct offer *offer, const struct resolve_candidate *candidate)
{
    const struct manifest_branch *branch = offer->branch;
    if (request->within.count && request->within.part[0] != branch->branch)
        return GRADE_NONE;
    if (candidate->fit >= FIT_UNKNOWN)
        return GRADE_NONE;
    if (request->within.count)
        return GRADE_LTS;
    if (has_ended(context, branch))
        return GRADE_ENDED;
    if (string_equal(branch->kind, "lts"))
        return GRADE_LTS;
    return string_equal(branch->kind, "production") ? GRADE_PRODUCTION : GRADE_OTHER;
}

/* exact: of those without limits alone. */
static size_t pick(const struct resolve_context *context, const struct listing *listing,
                   const struct request *request, bool exact)
{
    size_t best = listing->count;
    int best_grade = GRADE_NONE;
    for (size_t i = 0; i < listing->count; i++) {
        struct offer offer = offer_at(context, request, i);
        int one = grade(context, request, &offer, listing_at(context, listing, i));
        if (one < best_grade && (!exact || listing_at(context, listing, i)->fit == FIT_EXACT)) {
            best_grade = one;
            best = i;
        }
    }
    return best;
}

/* Why a newer branch that runs was not taken. */
static void turn_down(const struct resolve_context *context, const struct listing *listing,
                      const struct request *request, size_t chosen)
{
    for (size_t i = 0; i < chosen; i++) {
        struct offer offer = offer_at(context, request, i);
        struct resolve_candidate *candidate = listing_at(context, listing, i);
        AUTO_FREE char *words = branch_words(offer.branch);
        if (request->within.count && request->within.part[0] != offer.branch->branch)
            candidate_turn_down(candidate, "outside_request", "it does not match %s",
                                request->asked);
        else if (candidate->fit >= FIT_UNKNOWN)
            continue;
        else if (has_ended(context, offer.branch))
            candidate_turn_down(candidate, "end_of_life", "%s is no longer supported", words);
        else if (is_long_lived(offer.branch))
            candidate_turn_down(candidate, "shorter_lived",
                                "%s fits too; a long-term support branch is preferred", words);
        else
            candidate_turn_down(candidate, "not_long_lived",
                                offer.branch->kind
                                    ? "%s is not a long-lived branch"
                                    : "%s: it is not known whether the branch is long-lived",
                                words);
    }
    listing_turn_down(context, listing, chosen);
}

/* The flavour of the kernel module, and whether that is a must. */
static const char *flavour_of(const struct resolve_context *context,
                              const struct manifest_branch *branch, struct resolve_choice *choice)
{
    struct driver_module module = driver_module_of(context);
    bool open_default = string_equal(branch->open_module, "default") ||
                        string_equal(branch->open_module, "blackwell") ||
                        string_equal(branch->open_module, "only");
    const char *flavour = open_default ? "open" : "proprietary";
    const char *basis = "the default of this branch";
    if (module.must_be_open || string_equal(branch->open_module, "only")) {
        flavour = "open";
        basis = "no other kernel module supports these GPUs";
    } else if (module.must_be_proprietary || string_equal(branch->open_module, "no")) {
        flavour = "proprietary";
        basis = "no other kernel module supports these GPUs";
    } else if (context->machine.gpu_count == 0 && open_default) {
        strlist_add(&choice->limits, "a GPU older than Turing needs the proprietary kernel module, "
                                     "and no GPU was found or assumed");
    }
    char *why = mem_printf("%s; the %s kernel module: %s", choice->why, flavour, basis);
    free(choice->why);
    choice->why = why;
    free(choice->build);
    choice->build = mem_string(flavour);
    return flavour;
}

/* The least that runs each need, for those who have another driver. */
static void note_needs(struct resolve_context *context, const struct driver_needs *needs)
{
    for (size_t i = 0; i < needs->count; i++) {
        const struct driver_need *need = &needs->items[i];
        const struct manifest_cuda *row =
            need->cuda.count ? manifest_cuda_find(context->manifest, &need->cuda) : NULL;
        const struct manifest_cuda_major *major =
            need->cuda.count ? manifest_cuda_major_find(context->manifest, need->cuda.part[0])
                             : NULL;
        char least[VERSION_TEXT_SIZE], floor[VERSION_TEXT_SIZE];
        if (need->driver_min.count)
            context_note(context, "%s needs driver %s or newer", need->what,
                         version_text(&need->driver_min, 0, least));
        if (row && row->driver_min.count && major && major->driver_min.count && !need->exact &&
            version_compare(&row->driver_min, &major->driver_min) > 0)
            context_note(context,
                         "%s is made for driver %s or newer, and runs with limits on %s or newer",
                         need->what, version_text(&row->driver_min, 0, least),
                         version_text(&major->driver_min, 0, floor));
        else if (row && row->driver_min.count)
            context_note(context, "%s needs driver %s or newer", need->what,
                         version_text(&row->driver_min, 0, least));
        else if (major && major->driver_min.count)
            context_note(context, "%s runs with limits on driver %s or newer", need->what,
                         version_text(&major->driver_min, 0, floor));
    }
}

/* Whether a release that is named is there is not known above the newest that was seen. */
static char *newer_words(const struct resolve_context *context, const struct offer *offer)
{
    char driver[VERSION_TEXT_SIZE], latest[VERSION_TEXT_SIZE];
    return mem_printf(
        "driver %s is newer than this manifest (%s), which lists %s as the newest of R%u",
        version_text(&offer->driver, 0, driver), manifest_date(context->manifest),
        version_text(&offer->branch->latest, 0, latest), offer->branch->branch);
}

static void choose(struct resolve_context *context, const struct listing *listing,
                   const struct request *request, size_t chosen)
{
    struct offer offer = offer_at(context, request, chosen);
    const struct resolve_candidate *candidate = listing_at(context, listing, chosen);
    AUTO_FREE char *words = branch_words(offer.branch);
    struct resolve_choice *choice = choice_add(context, candidate);
    choice->rule = "recommended";
    choice->limit_gpu = listing_limit_gpu(context, listing, chosen);
    words_limits(candidate->fit, &choice->limits);
    if (candidate->fit != FIT_EXACT) {
        char *why = mem_printf("%s; %s", words, choice->why);
        free(choice->why);
        choice->why = why;
    }
    if (has_ended(context, offer.branch))
        strlist_take(&choice->limits, mem_printf("%s is no longer supported", words));
    else if (offer.branch->kind == NULL)
        strlist_take(
            &choice->limits,
            mem_printf("it is not known whether R%u is a long-lived branch", offer.branch->branch));
    else if (!is_long_lived(offer.branch))
        strlist_take(&choice->limits, mem_printf("%s is not a long-lived branch", words));
    if (offer.branch->latest.count && version_compare(&offer.driver, &offer.branch->latest) > 0)
        strlist_take(&choice->limits, newer_words(context, &offer));
    size_t exact =
        candidate->fit == FIT_EXACT ? listing->count : pick(context, listing, request, true);
    if (exact < listing->count)
        choice->exact = mem_string(listing_at(context, listing, exact)->version);
    driver_add_packages(context, offer.branch, flavour_of(context, offer.branch, choice), choice);
}

bool driver_choose(struct resolve_context *context, const struct request *request,
                   const struct driver_needs *needs)
{
    struct listing listing = list(context, request, needs);
    size_t chosen = pick(context, &listing, request, false);
    turn_down(context, &listing, request, chosen);
    note_needs(context, needs);
    if (chosen < listing.count) {
        choose(context, &listing, request, chosen);
        return true;
    }
    struct version newest = {.part = {offer_at(context, request, 0).branch->branch}, .count = 1};
    return listing_fail(context, &listing, request, product, "driver", &newest);
}
