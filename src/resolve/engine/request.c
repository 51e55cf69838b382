/* SPDX-License-Identifier: MIT */
#include "resolve/engine/request.h"

#include <string.h>

#include "manifest/framework/framework.h"
#include "manifest/manifest.h"
#include "manifest/reader/range.h"
#include "resolve/engine/resolution.h"
#include "resolve/engine/words.h"

struct request request_of(const struct resolve_spec *spec, unsigned full_parts)
{
    return (struct request){
        .asked = spec->text,
        .spec = spec,
        .within = spec->version,
        .full = spec->version.count >= full_parts,
    };
}

bool request_has(const struct request *request, const struct version *version)
{
    if (request->within.count && !version_within(version, &request->within))
        return false;
    return manifest_range_has(&request->range, version);
}

static char *asked_words(const struct request *request)
{
    if (request->spec && request->spec->release)
        return mem_string(request->spec->release);
    if (request->within.count)
        return words_version(&request->within);
    return mem_printf("that matches \"%s\"", request->asked);
}

/* What runs on other frameworks has none among the candidates. */
static char *show_words(const struct resolve_context *context, const char *product)
{
    const struct manifest_framework *framework =
        manifest_framework_find(context->manifest, product);
    if (framework && string_equal(framework->native, "rider"))
        return mem_string("\"gpuenv manifest show framework/riders\" lists the known versions");
    return mem_printf("\"gpuenv resolve -v %s\" lists the known versions", product);
}

bool request_fail_unlisted(struct resolve_context *context, const struct request *request,
                           const char *product, const char *title, const struct version *newest)
{
    const struct version *within = &request->within;
    const char *date = manifest_date(context->manifest);
    AUTO_FREE char *asked = asked_words(request);
    AUTO_FREE char *show = show_words(context, product);
    AUTO_FREE char *absent = mem_printf("this manifest (%s) lists no %s %s", date, title, asked);
    AUTO_FREE char *newer =
        mem_printf("%s %s is newer than this manifest (%s)", title, asked, date);
    if (within->count && version_compare(within, newest) > 0 && !version_within(newest, within))
        return context_fail(context, product, request->asked, newer,
                            "update gpuenv, or use a newer manifest with --manifest");
    return context_fail(context, product, request->asked, absent, show);
}

struct resolve_candidate *listing_at(const struct resolve_context *context,
                                     const struct listing *listing, size_t index)
{
    return &context->resolution->candidates[listing->first + index];
}

void listing_turn_down(const struct resolve_context *context, const struct listing *listing,
                       size_t chosen)
{
    for (size_t i = 0; i < listing->count; i++) {
        struct resolve_candidate *candidate = listing_at(context, listing, i);
        if (i >= chosen)
            candidate_turn_down(candidate, NULL, NULL);
        else if (candidate->turned_down == NULL)
            candidate_turn_down(candidate, candidate->reason, NULL);
    }
}

char *listing_limit_gpu(const struct resolve_context *context, const struct listing *listing,
                        size_t chosen)
{
    const char *version = listing_at(context, listing, chosen)->version;
    for (size_t i = chosen; i > 0; i--) {
        const struct resolve_candidate *newer = listing_at(context, listing, i - 1);
        if (string_equal(newer->version, version)) /* another build of it */
            continue;
        if (string_equal(newer->turned_down, "outside_request"))
            return NULL;
        if (newer->fit == FIT_NO)
            return newer->gpu ? words_gpu(newer->gpu) : NULL;
        if (!candidate_runs(newer))
            return NULL;
    }
    return NULL;
}

/* What the machine says goes before what the request and the pins say. */
static int reason_rank(const struct resolve_candidate *candidate)
{
    static const char *const of_machine[] = {"driver_unknown_for_gpu", "gpu_unknown"};
    static const char *const of_version[] = {
        "not_released",       "no_pin",        "no_platform", "no_cuda",
        "python_unsupported", "glibc_too_old", "no_command"};
    if (string_equal(candidate->turned_down, "outside_request"))
        return 3;
    for (size_t i = 0; i < sizeof(of_version) / sizeof(of_version[0]); i++)
        if (string_equal(candidate->turned_down, of_version[i]))
            return 2;
    for (size_t i = 0; i < sizeof(of_machine) / sizeof(of_machine[0]); i++)
        if (string_equal(candidate->reason, of_machine[i]))
            return 0;
    return candidate->fit == FIT_NO || candidate->turned_down != candidate->reason ? 0 : 1;
}

/* The newest that says best why nothing was chosen: what the machine refuses first. The listing
 * must not be empty. */
static const struct resolve_candidate *listing_reason(const struct resolve_context *context,
                                                      const struct listing *listing)
{
    const struct resolve_candidate *best = listing_at(context, listing, 0);
    for (size_t i = 1; i < listing->count; i++) {
        const struct resolve_candidate *candidate = listing_at(context, listing, i);
        if (reason_rank(candidate) < reason_rank(best))
            best = candidate;
    }
    return best;
}

/* What to do where a reason keeps every version out; PRODUCT and VERSION stand for those of the
 * version that it is said of. */
static const char *next_of(const char *reason)
{
    static const struct {
        const char *reason, *next;
    } rows[] = {
        {"driver_too_old", "\"gpuenv resolve PRODUCT driver\" names a driver that runs PRODUCT"},
        {"driver_too_old_for_ptx",
         "\"gpuenv resolve PRODUCT driver\" names a driver that runs PRODUCT"},
        {"driver_drops_gpu", "\"gpuenv resolve driver\" names a driver that supports the GPU"},
        {"driver_precedes_gpu", "\"gpuenv resolve driver\" names a driver that supports the GPU"},
        {"driver_unknown_for_gpu",
         "update gpuenv; or run this command without --assume-… on the machine itself, where the "
         "driver describes the GPU; or give a full version: PRODUCT@VERSION"},
        {"gpu_unknown", "update gpuenv, or give the GPU's compute capability: --assume-gpu 9.0"},
        {"cudnn_drops_gpu",
         "\"gpuenv resolve cuda cudnn\" names versions that fit together and run here"},
        {"no_pair", "\"gpuenv resolve cuda PRODUCT\" names versions that fit together"},
        {"no_pin", "\"gpuenv resolve PRODUCT@VERSION\" requests that full version"},
        {"not_released", "\"gpuenv resolve PRODUCT@VERSION\" requests that full version"},
        {"python_unsupported",
         "\"gpuenv resolve PRODUCT\" names the newest release for that Python; or create an "
         "environment with another Python"},
        {"compiler_unknown", "\"gpuenv resolve PRODUCT@VERSION\" requests that version"},
        {"code_unknown", "\"gpuenv resolve PRODUCT@VERSION\" requests that version"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (string_equal(rows[i].reason, reason))
            return rows[i].next;
    return NULL;
}

static char *next_fill(const char *pattern, const struct resolve_candidate *candidate)
{
    AUTO_TEXT struct text text = {0};
    while (*pattern) {
        bool product = string_starts(pattern, "PRODUCT");
        bool version = string_starts(pattern, "VERSION");
        if (product || version)
            text_append(&text, product ? candidate->product : candidate->version);
        else
            text_append_char(&text, *pattern);
        pattern += product || version ? strlen("PRODUCT") : 1;
    }
    return text_steal(&text);
}

/* The newest version that is turned down for that reason. */
static const struct resolve_candidate *listing_with(const struct resolve_context *context,
                                                    const struct listing *listing,
                                                    const char *reason)
{
    for (size_t i = 0; i < listing->count; i++)
        if (string_equal(listing_at(context, listing, i)->reason, reason))
            return listing_at(context, listing, i);
    return NULL;
}

/* An old GPU beside a new one: each has drivers, and no driver is for both. A new string; NULL: it
 * is not that. */
static char *listing_apart(const struct resolve_context *context, const struct listing *listing,
                           const char *product)
{
    const struct resolve_candidate *old = listing_with(context, listing, "driver_drops_gpu");
    const struct resolve_candidate *young = listing_with(context, listing, "driver_precedes_gpu");
    if (!string_equal(product, "driver") || context->machine.gpu_count < 2 || !old || !young)
        return NULL;
    return mem_printf("no driver supports all of these GPUs: %s; %s", old->why, young->why);
}

bool listing_fail(struct resolve_context *context, const struct listing *listing,
                  const struct request *request, const char *product, const char *title,
                  const struct version *newest)
{
    const struct resolve_candidate *reason =
        listing->count ? listing_reason(context, listing) : NULL;
    if (reason == NULL || string_equal(reason->turned_down, "outside_request"))
        return request_fail_unlisted(context, request, product, title, newest);
    AUTO_FREE char *apart = listing_apart(context, listing, product);
    if (apart)
        return context_fail(context, product, request->asked, apart,
                            "use one kind of GPU in this machine, or give the others to a virtual "
                            "machine that has its own driver (vfio-pci); \"gpuenv resolve driver "
                            "--assume-gpu NAME\" names the driver of each");
    const char *pattern = next_of(reason->turned_down ? reason->turned_down : reason->reason);
    AUTO_FREE char *typed = mem_printf("%s@%s", reason->product, reason->version);
    if (pattern && strstr(pattern, "PRODUCT@VERSION") && string_equal(typed, request->asked))
        pattern = "\"gpuenv resolve PRODUCT\" names the newest version that fits"; /* not again */
    AUTO_FREE char *filled = pattern ? next_fill(pattern, reason) : NULL;
    return context_fail(context, product, request->asked,
                        reason->turned_why ? reason->turned_why : reason->why, filled);
}
