/* SPDX-License-Identifier: MIT */
#include "resolve/product/cudnn.h"

#include <string.h>

#include "resolve/engine/resolution.h"
#include "resolve/engine/words.h"
#include "resolve/product/cudnn_fit.h"

static const char product[] = "cudnn";

static const struct manifest_cudnn *row_at(const struct resolve_context *context, size_t index)
{
    size_t count;
    const struct manifest_cudnn *rows = manifest_cudnn_all(context->manifest, &count);
    return &rows[count - 1 - index];
}

/* By its label (9.10.2) or the number of its build (9.10.2.21). */
static bool is_asked(const struct request *request, const struct manifest_cudnn *release)
{
    return request_has(request, &release->version) ||
           (release->build.count && request->within.count &&
            version_within(&release->build, &request->within));
}

/* One release is named, and no group of them: 9.10.2, and 5.1 of those with two numbers. */
static bool is_named(const struct request *request, const struct manifest_cudnn *release)
{
    return request->within.count >= release->version.count && is_asked(request, release);
}

static const struct manifest_pin *pin_of(const struct resolve_context *context,
                                         const struct manifest_cudnn *release,
                                         const struct manifest_cudnn_pair *pair)
{
    const struct manifest_pin *pin =
        manifest_pin_find(context->manifest, product, &release->version);
    if (pin == NULL || pair == NULL || pin->variants.count == 0)
        return pin;
    char cuda[VERSION_TEXT_SIZE];
    return strlist_has(&pin->variants, version_text(&pair->cuda, 1, cuda)) ? pin : NULL;
}

/* What speaks against a release that the machine runs; NULL: nothing. */
static const char *objection(const struct resolve_context *context, const struct request *request,
                             const struct manifest_cudnn *release,
                             const struct manifest_cudnn_pair *pair)
{
    const struct manifest_pin *pin = pin_of(context, release, pair);
    bool named = is_named(request, release);
    if (!is_asked(request, release))
        return "outside_request";
    if (release->stage && !named)
        return "not_released";
    if (pin && !pin_has_platform(context, pin))
        return "no_platform";
    return (pin && manifest_pin_is_pinned(pin)) || named ? NULL : "no_pin";
}

bool cudnn_exists(const struct resolve_context *context, const struct request *request,
                  const struct cudnn_partner *partner)
{
    size_t count;
    manifest_cudnn_all(context->manifest, &count);
    for (size_t i = 0; i < count; i++) {
        const struct manifest_cudnn *release = row_at(context, i);
        const struct manifest_cudnn_pair *pair;
        if (!is_asked(request, release))
            continue;
        struct verdict verdict = cudnn_verdict(context, release, partner, &pair);
        bool runs = verdict.fit < FIT_UNKNOWN || string_equal(verdict.reason, "no_driver") ||
                    (verdict.fit == FIT_UNKNOWN && is_named(request, release));
        free(verdict.why);
        const char *slug = objection(context, request, release, pair);
        if (runs && (slug == NULL || (request->wanted && string_equal(slug, "no_pin"))))
            return true;
    }
    return false;
}

static struct listing list(struct resolve_context *context, const struct cudnn_partner *partner)
{
    size_t count;
    manifest_cudnn_all(context->manifest, &count);
    struct listing listing = {.first = context->resolution->candidate_count, .count = count};
    for (size_t i = 0; i < count; i++) {
        const struct manifest_cudnn *release = row_at(context, i);
        const struct manifest_cudnn_pair *pair;
        struct verdict verdict = cudnn_verdict(context, release, partner, &pair);
        AUTO_FREE char *version = words_version(&release->version);
        AUTO_FREE char *cuda = pair ? words_version(&pair->cuda) : NULL;
        AUTO_FREE char *build = cuda ? mem_printf("cuda%s", cuda) : NULL;
        struct resolve_candidate *candidate =
            candidate_add(context, product, version, build, &verdict);
        const struct manifest_pin *pin = pin_of(context, release, pair);
        candidate->pin = pin ? pin->pin : "none";
    }
    return listing;
}

static void turn_down(struct resolve_candidate *candidate, const char *slug)
{
    if (string_equal(slug, "no_pin"))
        candidate_turn_down(candidate, slug,
                            "this manifest has no checksums for cuDNN %s: it is chosen only if its "
                            "full version is given",
                            candidate->version);
    else if (string_equal(slug, "not_released"))
        candidate_turn_down(candidate, slug,
                            "cuDNN %s is a preview: it is chosen only if its full version is given",
                            candidate->version);
    else if (string_equal(slug, "no_platform"))
        candidate_turn_down(candidate, slug, "cuDNN %s has no files for this architecture",
                            candidate->version);
    else
        candidate_turn_down(candidate, slug, "this version was not requested");
}

/* The pair that the candidate stands for; NULL: none. */
static const struct manifest_cudnn_pair *pair_at(const struct resolve_context *context,
                                                 const struct listing *listing, size_t index)
{
    const char *build = listing_at(context, listing, index)->build;
    struct version cuda;
    if (build == NULL || !version_parse(build + strlen("cuda"), &cuda))
        return NULL;
    return manifest_cudnn_pair_find(context->manifest, &row_at(context, index)->version, &cuda);
}

/* How well a release suits a request, 0 the best. Where there is nothing better it may be without
 * a pin, unless the request names a version; what a build wants may even be unknown. */
enum { SUITS, SUITS_UNPINNED, SUITS_UNKNOWN, SUITS_NOT };

static int suits(const struct request *request, const struct manifest_cudnn *release,
                 const struct resolve_candidate *candidate, const char *slug)
{
    bool runs =
        candidate_runs(candidate) || (candidate->fit == FIT_UNKNOWN && is_named(request, release));
    if (runs && slug == NULL)
        return SUITS;
    bool any = request->wanted || request->within.count == 0;
    if (!any || (slug && !string_equal(slug, "no_pin")))
        return SUITS_NOT;
    if (runs)
        return SUITS_UNPINNED;
    return candidate->fit == FIT_UNKNOWN && request->wanted ? SUITS_UNKNOWN : SUITS_NOT;
}

static size_t pick(const struct resolve_context *context, const struct listing *listing,
                   const struct request *request)
{
    size_t best = listing->count;
    int best_suits = SUITS_NOT;
    for (size_t i = 0; i < listing->count && best_suits != SUITS; i++) {
        const struct manifest_cudnn *release = row_at(context, i);
        struct resolve_candidate *candidate = listing_at(context, listing, i);
        const char *slug = objection(context, request, release, pair_at(context, listing, i));
        int one = suits(request, release, candidate, slug);
        if (one < best_suits) {
            best_suits = one;
            best = i;
        }
        if (slug && (candidate_runs(candidate) || string_equal(slug, "outside_request")))
            turn_down(candidate, slug);
    }
    return best;
}

/* Newer ones of which too little is known are not chosen; the reader may know better. */
static void note_unknown(struct resolve_context *context, const struct listing *listing,
                         size_t chosen)
{
    for (size_t i = 0; i < chosen; i++) {
        const struct resolve_candidate *candidate = listing_at(context, listing, i);
        if (candidate->fit != FIT_UNKNOWN ||
            !string_equal(candidate->turned_down, candidate->reason))
            continue;
        context_note(context,
                     "cuDNN %s is newer and was not chosen: %s; to request it, use cudnn@%s",
                     candidate->version, candidate->why, candidate->version);
        return;
    }
}

static void choose(struct resolve_context *context, const struct listing *listing,
                   const struct request *request, size_t chosen)
{
    const struct resolve_candidate *candidate = listing_at(context, listing, chosen);
    const struct manifest_cudnn_pair *pair = pair_at(context, listing, chosen);
    if (pair)
        context->cudnn_driver = cudnn_driver_min(context, pair);
    struct resolve_choice *choice = choice_add(context, candidate);
    choice->limit_gpu = listing_limit_gpu(context, listing, chosen);
    choice->rule = request->wanted ? "wanted" : candidate_runs(candidate) ? "paired" : "asked";
    if (!candidate_runs(candidate))
        strlist_add(&choice->limits, "it is not known whether this version runs on this machine");
    if (!pin_is_pinned(candidate->pin))
        choice->install = words_install(context, product, &row_at(context, chosen)->version,
                                        pair ? &pair->cuda : NULL);
}

bool cudnn_choose(struct resolve_context *context, const struct request *request,
                  const struct cudnn_partner *partner)
{
    struct listing listing = list(context, partner);
    size_t chosen = pick(context, &listing, request);
    listing_turn_down(context, &listing, chosen);
    if (chosen < listing.count) {
        note_unknown(context, &listing, chosen);
        choose(context, &listing, request, chosen);
        return true;
    }
    note_unknown(context, &listing, listing.count);
    return listing_fail(context, &listing, request, product, "cuDNN", &row_at(context, 0)->version);
}
