/* SPDX-License-Identifier: MIT */
#include "manifest/toolkit/code.h"
#include "resolve/engine/resolution.h"
#include "resolve/framework/framework.h"
#include "resolve/support/support.h"

void support_frameworks_free(struct support_frameworks *frameworks)
{
    free(frameworks->items);
}

static bool is_published(const struct manifest_build *build)
{
    return build->stage == NULL && build->release != NULL &&
           (build->os == NULL || string_equal(build->os, "linux")) &&
           (build->uses_cuda == NULL || string_equal(build->uses_cuda, "yes"));
}

/* FIT_EXACT, FIT_NO or FIT_UNKNOWN: without a driver nothing but the GPU speaks against a build. */
static enum fit build_fits(struct manifest *manifest, const struct manifest_build *build,
                           const struct version *capability, const char *machine,
                           enum code *ret_code)
{
    const struct resolve_gpu gpu = {.name = "the GPU", .capability = *capability};
    const struct resolve_context context = {
        .manifest = manifest,
        .machine = {.gpus = &gpu, .gpu_count = 1, .architecture = machine},
    };
    struct build_fit fit = framework_fit(&context, build);
    bool refused = fit.verdict.fit == FIT_NO || fit.code == CODE_NONE;
    free(fit.verdict.why);
    *ret_code = fit.code;
    if (refused)
        return FIT_NO;
    return fit.code >= CODE_UNKNOWN ? FIT_UNKNOWN : FIT_EXACT;
}

/* Machine code goes before PTX, that before the makers' word, the default of an index before its
 * other builds, wheels before the rest. */
static unsigned rank_of(const struct manifest_build *build, enum code code)
{
    return (unsigned)code * 4U + (string_equal(build->is_default, "yes") ? 0U : 2U) +
           (string_equal(build->kind, "wheel") ? 0U : 1U);
}

/* Builds first … first + count - 1 are of one release. The best answer; sets the build for
 * FIT_EXACT. */
static enum fit release_fits(struct manifest *manifest, const struct manifest_build *builds,
                             size_t count, const struct version *capability, const char *machine,
                             struct support_framework *support)
{
    enum fit best = FIT_NO;
    unsigned rank = 0;
    for (size_t i = 0; i < count; i++) {
        enum code code;
        if (!is_published(&builds[i]))
            continue;
        enum fit fit = build_fits(manifest, &builds[i], capability, machine, &code);
        best = fit < best ? fit : best;
        if (fit != FIT_EXACT || (support->build && rank_of(&builds[i], code) >= rank))
            continue;
        rank = rank_of(&builds[i], code);
        support->build = &builds[i];
        support->ptx = code == CODE_PTX;
        support->documented = code == CODE_DOCUMENTED;
        support->machine = machine;
    }
    return best;
}

/* Integrated GPUs are beside ARM processors alone. */
static void take_framework(struct manifest *manifest, const struct version *capability,
                           struct support_framework *support)
{
    const char *first_machine =
        manifest_integrated_find(manifest, capability) ? "aarch64" : "x86_64";
    size_t count;
    const struct manifest_build *builds =
        manifest_builds_of(manifest, support->framework->framework, &count);
    size_t end = count;
    while (end > 0 && support->build == NULL) {
        size_t first = end - 1;
        if (!is_published(&builds[first])) {
            end = first;
            continue;
        }
        while (first > 0 && string_equal(builds[first - 1].release, builds[end - 1].release))
            first--;
        if (support->newest == NULL)
            support->newest = &builds[end - 1];
        enum fit fit =
            release_fits(manifest, &builds[first], end - first, capability, first_machine, support);
        if (fit != FIT_EXACT && release_fits(manifest, &builds[first], end - first, capability,
                                             "aarch64", support) < fit)
            fit = support->build ? FIT_EXACT : FIT_UNKNOWN;
        support->newer_unknown = support->newer_unknown || fit == FIT_UNKNOWN;
        end = first;
    }
}

void support_frameworks_of(struct manifest *manifest, const struct version *capability,
                           struct support_frameworks *frameworks)
{
    size_t count;
    manifest_builds(manifest, &count); /* those of all are asked for: they are read at once */
    const struct manifest_framework *rows = manifest_frameworks(manifest, &count);
    for (size_t i = 0; i < count; i++) {
        if (!string_equal(rows[i].native, "yes"))
            continue;
        struct support_framework *support =
            vec_push(frameworks->items, frameworks->count, frameworks->capacity);
        support->framework = &rows[i];
        take_framework(manifest, capability, support);
    }
}
