/* SPDX-License-Identifier: MIT */
#include "manifest/gpu/gpu_compat.h"
#include "manifest/versions/compat.h"
#include "manifest/versions/cuda.h"
#include "manifest/versions/driver.h"
#include "manifest/versions/driver_standing.h"
#include "resolve/engine/fit.h"
#include "resolve/engine/resolution.h"
#include "resolve/engine/words.h"

bool fit_has_driver(const struct resolve_context *context)
{
    return context->machine.driver.count > 0 || context->machine.driver_api.count > 0;
}

static struct verdict no_driver(const struct resolve_context *context, const char *cuda)
{
    return (struct verdict){
        .fit = FIT_UNKNOWN,
        .reason = "no_driver",
        .why = context->asks_driver
                   ? mem_printf("gpuenv chooses a driver that runs CUDA %s", cuda)
                   : mem_printf("no driver was found to check CUDA %s against", cuda),
    };
}

/* The release whose minimum driver holds for this one: itself, or where its own is not listed the
 * newest of its minor before it, since an update asks for no less. NULL where none is listed. */
static const struct manifest_cuda *release_asking(const struct resolve_context *context,
                                                  const struct manifest_cuda *release)
{
    if (release == NULL || release->driver_min.count > 0)
        return release;
    struct version minor = release->version;
    minor.count = minor.count > 2 ? 2 : minor.count;
    size_t count;
    const struct manifest_cuda *all = manifest_cuda_all(context->manifest, &count);
    const struct manifest_cuda *found = NULL;
    for (size_t i = 0; i < count && version_compare(&all[i].version, &release->version) < 0; i++)
        if (all[i].driver_min.count > 0 && version_within(&all[i].version, &minor))
            found = &all[i];
    return found;
}

/* "CUDA 12.9.1 asks for driver 575.57.08", or that nothing is listed. */
static void append_minimum(const struct resolve_context *context,
                           const struct comparison *comparison, const char *cuda, struct text *text)
{
    char driver[VERSION_TEXT_SIZE], before[VERSION_TEXT_SIZE];
    const struct manifest_cuda *asking = release_asking(context, comparison->cuda);
    if (asking == NULL)
        text_printf(text, "the minimum driver of CUDA %s is not listed", cuda);
    else if (asking != comparison->cuda)
        text_printf(text, "the minimum driver of CUDA %s is not listed; the minimum for %s is %s",
                    cuda, version_text(&asking->version, 0, before),
                    version_text(&asking->driver_min, 0, driver));
    else
        text_printf(text, "CUDA %s is made for driver %s or newer", cuda,
                    version_text(&asking->driver_min, 0, driver));
}

static void append_floor(const struct comparison *comparison, struct text *text)
{
    const struct manifest_cuda_major *major = comparison->major;
    char driver[VERSION_TEXT_SIZE];
    if (comparison->cuda && major && comparison->cuda->driver_min.count &&
        version_compare(&comparison->cuda->driver_min, &major->driver_min) <= 0)
        return;
    if (major && major->driver_min.count)
        text_printf(text, "; with limits, any CUDA %u runs on driver %s or newer", major->major,
                    version_text(&major->driver_min, 0, driver));
    else if (major)
        text_printf(text, "; CUDA %u has no minor-version compatibility", major->major);
}

static struct verdict runs_exactly(const struct resolve_context *context,
                                   const struct comparison *comparison, const char *cuda)
{
    struct verdict verdict = {.fit = FIT_EXACT, .reason = "driver_new_enough"};
    const struct manifest_cuda *row = comparison->cuda;
    const struct version *driver = &context->machine.driver;
    AUTO_FREE char *words = words_driver(context);
    AUTO_TEXT struct text why = {0};
    if (row)
        VERDICT_ROW(&verdict, row);
    if (row && row->driver_min.count && version_compare(driver, &row->driver_min) >= 0) {
        append_minimum(context, comparison, cuda, &why);
        text_printf(&why, ", and %s is new enough", words);
    } else {
        text_printf(&why, "%s runs CUDA %s and older", words, cuda);
        if (comparison->branch)
            VERDICT_ROW(&verdict, comparison->branch);
    }
    verdict.why = text_steal(&why);
    words_add_newer(context, &verdict.why);
    return verdict;
}

static struct verdict runs_by_minor(const struct resolve_context *context,
                                    const struct comparison *comparison, const char *cuda)
{
    struct verdict verdict = {.fit = FIT_MINOR, .reason = "minor_version_compatibility"};
    AUTO_FREE char *words = words_driver(context);
    AUTO_TEXT struct text why = {0};
    char driver[VERSION_TEXT_SIZE];
    VERDICT_ROW(&verdict, comparison->major);
    append_minimum(context, comparison, cuda, &why);
    text_printf(&why,
                "; %s is at least %s, the first that runs any CUDA %u with limits (minor-version "
                "compatibility)",
                words, version_text(&comparison->major->driver_min, 0, driver),
                comparison->major->major);
    verdict.why = text_steal(&why);
    return verdict;
}

static bool compat_is_present(const struct resolve_context *context, const struct version *minor)
{
    for (size_t i = 0; i < context->machine.compat_count; i++)
        if (version_within(&context->machine.compat[i], minor))
            return true;
    return false;
}

/* One GPU that may not is enough: cuInit then fails for all. */
static enum manifest_compat compat_of_gpus(const struct resolve_context *context)
{
    enum manifest_compat all = context->machine.gpu_count ? COMPAT_YES : COMPAT_UNKNOWN;
    for (size_t i = 0; i < context->machine.gpu_count; i++) {
        enum manifest_compat one =
            manifest_gpu_compat(context->manifest, context->machine.gpus[i].model);
        if (one == COMPAT_NO)
            return COMPAT_NO;
        if (one == COMPAT_UNKNOWN)
            all = COMPAT_UNKNOWN;
    }
    return all;
}

/* NVIDIA, "Forward Compatibility": new-feature branches are never a base for it. */
static bool is_new_feature(const struct resolve_context *context)
{
    const struct manifest_branch *branch =
        manifest_branch_find(context->manifest, &context->machine.driver);
    return branch && string_equal(branch->kind, "new-feature");
}

/* What cuda-compat of that CUDA comes to on this driver and these GPUs. */
struct compat_answer {
    struct version minor;
    enum manifest_compat listed, gpus;
    bool present;
    const char *row, *source, *confidence;
};

static struct compat_answer compat_answer(const struct resolve_context *context,
                                          const struct version *cuda)
{
    struct compat_answer answer = {.minor = *cuda, .gpus = compat_of_gpus(context)};
    answer.minor.count = answer.minor.count > 2 ? 2 : answer.minor.count;
    answer.listed = manifest_compat_find(context->manifest, &answer.minor,
                                         context->machine.driver.part[0], &answer.row);
    if (answer.listed == COMPAT_UNKNOWN && is_new_feature(context))
        answer.listed = COMPAT_NO;
    answer.source = manifest_compat_source(context->manifest, &answer.minor,
                                           context->machine.driver.part[0], &answer.confidence);
    answer.present = compat_is_present(context, &answer.minor);
    return answer;
}

enum fit fit_compat(const struct resolve_context *context, const struct version *cuda)
{
    enum fit best = FIT_NO;
    for (size_t i = 0; i < context->machine.compat_count; i++) {
        const struct version *one = &context->machine.compat[i];
        if (version_compare(one, cuda) < 0)
            continue;
        struct compat_answer answer = compat_answer(context, one);
        if (answer.listed == COMPAT_YES && answer.gpus == COMPAT_YES)
            return FIT_COMPAT;
        if (answer.listed != COMPAT_NO && answer.gpus != COMPAT_NO)
            best = FIT_UNKNOWN;
    }
    return best;
}

static struct verdict by_compat(const struct resolve_context *context,
                                const struct compat_answer *answer, bool sure)
{
    AUTO_FREE char *words = words_driver(context);
    struct verdict verdict = {
        .fit = sure ? FIT_COMPAT : FIT_UNKNOWN,
        .reason = sure ? "cuda_compat" : "cuda_compat_unknown",
        .row = answer->row,
        .source = answer->source,
        .confidence = answer->confidence,
    };
    const struct version *minor = &answer->minor;
    if (sure)
        verdict.why = mem_printf("cuda-compat-%u-%u is installed and can be used on %s with these "
                                 "GPUs (forward compatibility)",
                                 minor->part[0], minor->part[1], words);
    else
        verdict.why = mem_printf("%s is too old without the installed cuda-compat-%u-%u, and it is "
                                 "not known whether cuda-compat can be used on %s",
                                 words, minor->part[0], minor->part[1],
                                 answer->listed == COMPAT_YES ? "these GPUs" : "its branch");
    return verdict;
}

static struct verdict too_old(const struct resolve_context *context,
                              const struct comparison *comparison, const char *cuda,
                              const struct compat_answer *answer)
{
    struct verdict verdict = {.fit = FIT_NO, .reason = "driver_too_old"};
    AUTO_FREE char *words = words_driver(context);
    AUTO_TEXT struct text why = {0};
    append_minimum(context, comparison, cuda, &why);
    append_floor(comparison, &why);
    text_printf(&why, "; %s is older", words);
    if (answer->listed == COMPAT_YES && answer->gpus == COMPAT_YES)
        text_printf(&why, " (the package cuda-compat-%u-%u would add support)",
                    answer->minor.part[0], answer->minor.part[1]);
    verdict.why = text_steal(&why);
    if (comparison->cuda && comparison->cuda->driver_min.count)
        VERDICT_ROW(&verdict, comparison->cuda);
    else if (comparison->major)
        VERDICT_ROW(&verdict, comparison->major);
    return verdict;
}

/* A driver of the toolkit's CUDA version runs it, and the doctor says so; but what is chosen has
 * the driver that its makers ask for (docs/decisions/0008). */
static struct comparison compare(const struct resolve_context *context, const struct version *cuda)
{
    const struct version *driver = &context->machine.driver;
    struct comparison comparison =
        driver_compare_told(context->manifest, driver, &context->machine.driver_api, cuda);
    const struct manifest_cuda *asking = release_asking(context, comparison.cuda);
    const struct manifest_cuda_major *major = comparison.major;
    if (comparison.standing != STANDING_EXACT || cuda->count < 2 || driver->count < 2 ||
        asking == NULL || version_compare(driver, &asking->driver_min) >= 0)
        return comparison;
    bool floor =
        major && major->driver_min.count && version_compare(driver, &major->driver_min) >= 0;
    comparison.standing = floor ? STANDING_MINOR : STANDING_TOO_OLD;
    return comparison;
}

struct verdict fit_driver_cuda(const struct resolve_context *context, const struct version *cuda)
{
    AUTO_FREE char *text = words_version(cuda);
    if (!fit_has_driver(context))
        return no_driver(context, text);
    struct comparison comparison = compare(context, cuda);
    if (comparison.standing == STANDING_EXACT)
        return runs_exactly(context, &comparison, text);
    if (comparison.standing == STANDING_MINOR)
        return runs_by_minor(context, &comparison, text);
    if (comparison.standing == STANDING_UNKNOWN)
        return (struct verdict){
            .fit = FIT_UNKNOWN,
            .reason = "driver_minimum_unknown",
            .why = mem_printf("no minimum driver of CUDA %s is listed", text),
        };
    struct compat_answer answer = compat_answer(context, cuda);
    if (answer.present && answer.listed != COMPAT_NO && answer.gpus != COMPAT_NO)
        return by_compat(context, &answer,
                         answer.listed == COMPAT_YES && answer.gpus == COMPAT_YES);
    return too_old(context, &comparison, text, &answer);
}
