/* SPDX-License-Identifier: MIT */
#include "resolve/framework/framework.h"

#include <string.h>

#include "manifest/versions/capability.h"
#include "manifest/versions/python.h"
#include "resolve/engine/fit.h"
#include "resolve/engine/resolution.h"
#include "resolve/engine/words.h"
#include "resolve/framework/entries.h"

static bool is_for_linux(const struct manifest_build *build)
{
    return build->os == NULL || string_equal(build->os, "linux");
}

/* Newest first: the rows are oldest first. */
static struct entries list(struct resolve_context *context,
                           const struct manifest_framework *framework)
{
    struct entries entries = {.listing.first = context->resolution->candidate_count};
    size_t count;
    const struct manifest_build *rows =
        manifest_builds_of(context->manifest, framework->framework, &count);
    for (size_t i = count; i > 0; i--) {
        const struct manifest_build *build = &rows[i - 1];
        if (!is_for_linux(build))
            continue;
        struct entry *entry = vec_push(entries.items, entries.count, entries.capacity);
        entry->build = build;
        entry->fit = framework_fit(context, build);
        candidate_add(context, framework->framework, build->release ? build->release : "",
                      build->variant, &entry->fit.verdict);
        entry->fit.verdict.why = NULL;
    }
    entries.listing.count = entries.count;
    return entries;
}

/* Whether pip takes the build for the Python and the C library of the machine, as far as they are
 * known; else it is turned down. */
static bool suits(const struct resolve_context *context, const struct manifest_build *build,
                  struct resolve_candidate *candidate)
{
    const struct resolve_machine *machine = &context->machine;
    char have[VERSION_TEXT_SIZE], want[VERSION_TEXT_SIZE];
    struct version newest;
    if (!manifest_build_is_of_pip(build))
        return true;
    const char *pythons = manifest_build_python(build, machine->architecture);
    if (machine->python.count && !python_list_has(pythons, &machine->python, &newest)) {
        candidate_turn_down(candidate, "python_unsupported", "%s %s is for Python %s, not for %s",
                            build->framework, candidate->version, pythons,
                            version_text(&machine->python, 2, have));
        return false;
    }
    struct version glibc = manifest_build_glibc(context->manifest, build, machine->architecture);
    if (machine->glibc.count == 0 || version_compare(&machine->glibc, &glibc) >= 0)
        return true;
    candidate_turn_down(candidate, "glibc_too_old",
                        "the wheel of %s %s needs glibc %s, and this "
                        "system has %s",
                        build->framework, candidate->version, version_text(&glibc, 0, want),
                        version_text(&machine->glibc, 0, have));
    return false;
}

/* Whether a release is asked for, however exactly. */
static bool is_named(const struct request *request)
{
    return request->within.count || (request->spec && request->spec->release);
}

/* Packages of conda are the second choice, builds that half work the last. */
enum pass { PASS_WHOLE, PASS_CONDA, PASS_PARTIAL, PASSES };

/* Whether the request takes the build; else it is turned down. */
static bool is_eligible(const struct resolve_context *context, const struct entries *entries,
                        size_t index, const struct request *request, enum pass pass)
{
    const struct manifest_build *build = entries->items[index].build;
    struct resolve_candidate *candidate = listing_at(context, &entries->listing, index);
    bool named = request->within.count > 1;
    candidate_turn_down(candidate, NULL, NULL);
    if (!framework_release_has(build->release, request))
        candidate_turn_down(candidate, "outside_request", "it does not match %s", request->asked);
    else if (build->stage)
        candidate_turn_down(candidate, "not_released", "%s %s was not released (%s)",
                            build->framework, candidate->version, build->stage);
    else if (!candidate_runs(candidate) && !(named && candidate->fit == FIT_UNKNOWN))
        candidate_turn_down(candidate, candidate->reason, NULL);
    else if (!is_named(request) &&
             framework_is_gone(context, build, &entries->items[index].fit.cuda))
        candidate_turn_down(candidate, "no_command",
                            "%s %s runs, but the package index has no wheel of it today",
                            build->framework, candidate->version);
    else if (string_equal(build->kind, "conda") && pass < PASS_CONDA)
        candidate_turn_down(candidate, "conda_build",
                            "%s %s is a conda package; a wheel is preferred", build->framework,
                            candidate->version);
    else
        return suits(context, build, candidate) &&
               !framework_precedes_python(context, build, candidate) &&
               (pass == PASS_PARTIAL ||
                !framework_is_partial(context, build, &entries->items[index].fit.cuda, candidate));
    return false;
}

/* How much is known of its code, 0 the most. */
static int code_rank(enum code code)
{
    return code < CODE_DOCUMENTED ? 0 : code == CODE_DOCUMENTED ? 1 : 2;
}

/* Of two builds of one release: stable before experimental, one whose code is known before one that
 * runs by its makers' word, and that before one of unknown code, the better fit, the default. Else
 * the one that is listed first, which has the newer CUDA. */
static bool is_better(const struct entry *a, const struct entry *b)
{
    if (entries_is_experimental(a->build) != entries_is_experimental(b->build))
        return entries_is_experimental(b->build);
    if (code_rank(a->fit.code) != code_rank(b->fit.code))
        return code_rank(a->fit.code) < code_rank(b->fit.code);
    if (a->fit.verdict.fit != b->fit.verdict.fit)
        return a->fit.verdict.fit < b->fit.verdict.fit;
    return string_equal(a->build->is_default, "yes") && !string_equal(b->build->is_default, "yes");
}

/* The best build of the newest release that has one; entries->count: none. */
static size_t pick(const struct resolve_context *context, const struct entries *entries,
                   const struct request *request, enum pass pass)
{
    size_t best = entries->count;
    for (size_t i = 0; i < entries->count; i++) {
        if (!is_eligible(context, entries, i, request, pass))
            continue;
        if (best == entries->count ||
            (string_equal(entries->items[i].build->release, entries->items[best].build->release) &&
             is_better(&entries->items[i], &entries->items[best])))
            best = i;
    }
    return best;
}

/* Builds that run as well, and were listed before the chosen one. */
static void turn_down_others(const struct resolve_context *context, const struct entries *entries,
                             size_t chosen)
{
    for (size_t i = 0; i < chosen && chosen < entries->count; i++) {
        struct resolve_candidate *candidate = listing_at(context, &entries->listing, i);
        const char *build = listing_at(context, &entries->listing, chosen)->build;
        if (candidate->turned_down == NULL && candidate_runs(candidate))
            candidate_turn_down(candidate, "other_build", "this build runs too; %s fits better",
                                build ? build : "another build");
    }
}

/* An old release that nobody can install is no answer where newer ones may run: turns it down. */
static bool is_stale(const struct resolve_context *context, const struct entries *entries,
                     size_t chosen, const struct request *request)
{
    const struct entry *entry = &entries->items[chosen];
    char *bound = NULL;
    if (request->within.count || entry->fit.verdict.fit >= FIT_UNKNOWN ||
        entries_newer_unknown(context, entries, chosen) == entries->count)
        return false;
    AUTO_FREE char *command = framework_command(context, entry->build, &entry->fit.cuda, &bound);
    free(bound);
    if (command)
        return false;
    struct resolve_candidate *candidate = listing_at(context, &entries->listing, chosen);
    candidate_turn_down(candidate, "no_command",
                        "%s %s runs, but no command that installs it is known, and releases that "
                        "are newer may run as well",
                        entry->build->framework, candidate->version);
    return true;
}

/* Of those that begin with a number; count 0: none does. */
static struct version newest_release(const struct entries *entries)
{
    struct version newest = {.count = 0};
    for (size_t i = 0; i < entries->count; i++) {
        struct version release;
        const char *text = entries->items[i].build->release;
        if (text && version_parse_prefix(text, &release) && version_compare(&release, &newest) > 0)
            newest = release;
    }
    return newest;
}

/* What runs here, and only the Python or the C library stands in its way, tells best. */
static bool fail(struct resolve_context *context, const struct entries *entries,
                 const struct request *request, const struct manifest_framework *framework)
{
    struct version newest = newest_release(entries);
    for (size_t i = 0; i < entries->count; i++) {
        const struct resolve_candidate *candidate = listing_at(context, &entries->listing, i);
        if (entries_is_unsuited(candidate))
            return context_fail(context, framework->framework, request->asked,
                                candidate->turned_why,
                                string_equal(candidate->turned_down, "python_unsupported")
                                    ? "--python X.Y asks for an environment with another Python"
                                    : NULL);
    }
    return listing_fail(context, &entries->listing, request, framework->framework, framework->title,
                        &newest);
}

const struct manifest_build *framework_choose(struct resolve_context *context,
                                              const struct request *request,
                                              const struct manifest_framework *framework,
                                              struct build_fit *ret_fit)
{
    struct entries entries = list(context, framework);
    const struct manifest_build *build = NULL;
    size_t chosen = entries.count;
    for (enum pass pass = 0; pass < PASSES && chosen == entries.count; pass++)
        chosen = pick(context, &entries, request, pass);
    if (chosen < entries.count && is_stale(context, &entries, chosen, request))
        chosen = entries.count;
    turn_down_others(context, &entries, chosen);
    listing_turn_down(context, &entries.listing, chosen);
    if (chosen < entries.count) {
        entries_choose(context, &entries, chosen);
        build = entries.items[chosen].build;
        *ret_fit = entries.items[chosen].fit;
    } else {
        fail(context, &entries, request, framework);
    }
    free(entries.items);
    return build;
}
