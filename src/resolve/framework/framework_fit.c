/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/gpu/gpu_compat.h"
#include "manifest/versions/compat.h"
#include "manifest/versions/cuda.h"
#include "resolve/engine/fit.h"
#include "resolve/engine/resolution.h"
#include "resolve/engine/words.h"
#include "resolve/framework/framework.h"

/* The name of a build in sentences: "pytorch 2.5.1 (cu124)". */
static char *build_words(const struct manifest_build *build)
{
    const char *release = build->release ? build->release : "";
    if (build->variant)
        return mem_printf("%s %s%s(%s)", build->framework, release, *release ? " " : "",
                          build->variant);
    return mem_printf("%s %s", build->framework, release);
}

/* What the build is, before the machine is looked at. Its fit is FIT_EXACT when nothing speaks
 * against it. */
static struct verdict about_build(const struct resolve_context *context,
                                  const struct manifest_build *build)
{
    const char *machine = context->machine.architecture ? context->machine.architecture : "x86_64";
    AUTO_FREE char *words = build_words(build);
    if (string_equal(build->uses_cuda, "no"))
        return (struct verdict){
            .fit = FIT_NO, .reason = "no_cuda", .why = mem_printf("%s does not use CUDA", words)};
    if (string_equal(build->uses_cuda, "not-native"))
        return (struct verdict){.fit = FIT_NO,
                                .reason = "no_cuda",
                                .why = mem_printf("%s has no CUDA of its own", words)};
    if (build->arch.count && !strlist_has(&build->arch, machine))
        return (struct verdict){.fit = FIT_NO,
                                .reason = "no_platform",
                                .why =
                                    mem_printf("there is no %s with CUDA for %s", words, machine)};
    return (struct verdict){.fit = FIT_EXACT};
}

static struct verdict bounds_gpu(const struct manifest_build *build, const struct resolve_gpu *gpu)
{
    char capability[VERSION_TEXT_SIZE];
    AUTO_FREE char *words = build_words(build);
    AUTO_FREE char *name = words_gpu(gpu);
    struct verdict verdict = {.fit = FIT_NO, .gpu = gpu};
    if (gpu->capability.count && build->capability_min.count &&
        version_compare(&gpu->capability, &build->capability_min) < 0) {
        verdict.reason = "build_drops_gpu";
        verdict.why = mem_printf("%s needs compute capability %s or higher, and %s is below that",
                                 words, version_text(&build->capability_min, 0, capability), name);
    } else if (gpu->capability.count && build->capability_max.count &&
               version_compare(&gpu->capability, &build->capability_max) > 0) {
        verdict.reason = "build_precedes_gpu";
        verdict.why = mem_printf("%s supports compute capability up to %s, and %s is above that",
                                 words, version_text(&build->capability_max, 0, capability), name);
    } else {
        verdict = (struct verdict){.fit = FIT_EXACT};
    }
    return verdict;
}

/* What its makers state, then what code it has. */
static struct verdict build_gpus(const struct resolve_context *context,
                                 const struct manifest_build *build, const struct version *cuda,
                                 enum code *ret_code)
{
    struct verdict pair[2] = {{.fit = FIT_EXACT}};
    for (size_t i = 0; i < context->machine.gpu_count; i++) {
        pair[1] = bounds_gpu(build, &context->machine.gpus[i]);
        pair[0] = fit_worst(pair, 2);
    }
    const struct resolve_gpu *gpu;
    *ret_code = framework_code(context, build, cuda, &gpu);
    if (pair[0].fit == FIT_NO || *ret_code < CODE_UNKNOWN)
        return pair[0];
    AUTO_FREE char *words = build_words(build);
    AUTO_FREE char *name = words_gpu(gpu);
    if (*ret_code == CODE_NONE)
        return (struct verdict){
            .fit = FIT_NO,
            .reason = "no_code_for_gpu",
            .why = mem_printf("%s has no machine code for %s, and %s", words, name,
                              framework_ptx_fails(build, &gpu->capability)
                                  ? "its PTX is known to fail there"
                                  : "no PTX for it is known"),
            .gpu = gpu,
        };
    if (*ret_code == CODE_COMPILER_UNKNOWN)
        return (struct verdict){
            .fit = FIT_UNKNOWN,
            .reason = "compiler_unknown",
            .why = mem_printf("%s has only PTX for %s, and it is not known whether %s, the "
                              "compiler inside, makes code for this GPU",
                              words, name, framework_compiler(context, build)),
            .gpu = gpu,
        };
    return (struct verdict){
        .fit = FIT_UNKNOWN,
        .reason = "code_unknown",
        .why = mem_printf("it is not known whether %s has code for %s", words, name),
        .gpu = gpu,
    };
}

/* An image brings cuda-compat: on GPUs of a data centre the older branches that its makers name do
 * as well. */
static bool alternate_does(const struct resolve_context *context,
                           const struct manifest_build *build)
{
    const struct version *driver = &context->machine.driver;
    for (size_t i = 0; i < context->machine.gpu_count; i++)
        if (manifest_gpu_compat(context->manifest, context->machine.gpus[i].model) != COMPAT_YES)
            return false;
    for (size_t i = 0; context->machine.gpu_count && i < build->driver_alternates.count; i++) {
        struct version least;
        if (version_parse_prefix(build->driver_alternates.items[i], &least) &&
            least.part[0] == driver->part[0] && version_compare(driver, &least) >= 0)
            return true;
    }
    return false;
}

/* The minimum that its makers state. */
static struct verdict stated_driver(const struct resolve_context *context,
                                    const struct manifest_build *build)
{
    char least[VERSION_TEXT_SIZE];
    const struct version *driver = &context->machine.driver;
    AUTO_FREE char *words = build_words(build);
    AUTO_FREE char *have = words_driver(context);
    if (build->driver_min.count == 0 || driver->count == 0 ||
        version_compare(driver, &build->driver_min) >= 0)
        return (struct verdict){.fit = FIT_EXACT};
    version_text(&build->driver_min, 0, least);
    if (alternate_does(context, build))
        return (struct verdict){
            .fit = FIT_COMPAT,
            .reason = "cuda_compat",
            .why = mem_printf(
                "%s needs driver %s, but with the cuda-compat that it includes, %s is enough",
                words, least, have),
        };
    return (struct verdict){
        .fit = FIT_NO,
        .reason = "driver_too_old",
        .why = mem_printf("%s needs driver %s, and %s is older", words, least, have),
    };
}

/* How well a CUDA suits of those that a build comes for, 0 the best: one that no longer compiles
 * for a GPU goes after all others. */
static unsigned cuda_rank(const struct resolve_context *context, const struct version *cuda,
                          enum fit fit)
{
    struct verdict toolkit = fit_toolkit_gpus(context, cuda);
    free(toolkit.why);
    bool dropped = string_equal(toolkit.reason, "toolkit_drops_gpu");
    return (unsigned)fit + (dropped ? FIT_NO + 1U : 0U);
}

/* Of a CUDA whose major alone is known ("12.x") the driver has to run the newest without limits, or
 * whether there are any is not known. */
static void measure_major(const struct resolve_context *context, const struct version *cuda,
                          struct verdict *verdict)
{
    const struct manifest_cuda_major *major =
        manifest_cuda_major_find(context->manifest, cuda->part[0]);
    size_t count;
    const struct manifest_cuda *all = manifest_cuda_all(context->manifest, &count);
    while (count > 0 && !version_within(&all[count - 1].version, cuda))
        count--;
    if (verdict->fit != FIT_EXACT || major == NULL || major->driver_min.count == 0 || count == 0)
        return;
    struct verdict newest = fit_driver_cuda(context, &all[count - 1].version);
    free(newest.why);
    if (newest.fit == FIT_EXACT)
        return;
    AUTO_FREE char *words = words_driver(context);
    free(verdict->why);
    *verdict = (struct verdict){.fit = FIT_MINOR, .reason = "minor_version_compatibility"};
    verdict->why = mem_printf("it is not known which CUDA %u release this build is for; %s runs "
                              "the newest release with limits (minor-version compatibility)",
                              major->major, words);
}

/* The best of the CUDAs that it comes for, newest first. */
static struct verdict driver_cuda(const struct resolve_context *context,
                                  const struct manifest_build *build, struct version *ret_cuda)
{
    struct verdict best = {.fit = FIT_UNKNOWN, .reason = "build_cuda_unknown"};
    *ret_cuda = build->cuda;
    if (build->cuda.count)
        best = fit_driver_cuda(context, &build->cuda);
    else if (build->cuda_range.from.count) {
        const struct version taken = framework_cuda_taken(context, build, &build->cuda_range.from);
        *ret_cuda = taken.count ? taken : build->cuda_range.from;
        best = fit_driver_cuda(context, ret_cuda);
    }
    unsigned best_rank = cuda_rank(context, ret_cuda, best.fit);
    for (size_t i = build->cudas.count; i > 0; i--) {
        struct version cuda;
        if (!version_parse_prefix(build->cudas.items[i - 1], &cuda)) /* 12.x, 11.2+ */
            continue;
        struct verdict one = fit_driver_cuda(context, &cuda);
        unsigned rank = cuda_rank(context, &cuda, one.fit);
        if (ret_cuda->count && rank >= best_rank) {
            free(one.why);
            continue;
        }
        free(best.why);
        best = one;
        best_rank = rank;
        *ret_cuda = cuda;
    }
    if (ret_cuda->count == 1)
        measure_major(context, ret_cuda, &best);
    if (best.why == NULL && build->driver_min.count && context->machine.driver.count) {
        AUTO_FREE char *words = build_words(build);
        best = (struct verdict){.fit = FIT_EXACT, .reason = "driver_new_enough"};
        best.why = mem_printf("the driver meets the minimum of %s", words);
    } else if (best.why == NULL) {
        AUTO_FREE char *words = build_words(build);
        best.reason = fit_has_driver(context) ? "build_cuda_unknown" : "no_driver";
        best.why = mem_printf("the CUDA of %s is not known", words);
    }
    return best;
}

/* What pip takes today decides, and not what the build was made with. */
static void measure_taken(const struct resolve_context *context, const struct manifest_build *build,
                          const struct version *made_with, struct verdict *driver)
{
    const struct version newest = framework_cuda_taken(context, build, made_with);
    char cuda[VERSION_TEXT_SIZE];
    if (newest.count == 0)
        return;
    struct verdict taken = fit_driver_cuda(context, &newest);
    if (taken.fit <= driver->fit) {
        free(taken.why);
        return;
    }
    char *why = mem_printf("pip takes CUDA %s, the newest that this build accepts; %s",
                           version_text(&newest, 0, cuda), taken.why);
    free(taken.why);
    free(driver->why);
    *driver = taken;
    driver->why = why;
}

/* The torch that a build without CUDA of its own brings: what a plain install gives of the release
 * that it requires. NULL: none, or it is not listed. */
static const struct manifest_build *torch_of(const struct resolve_context *context,
                                             const struct manifest_build *build)
{
    static const char torch[] = "torch==";
    struct version wanted, release;
    const char *text = NULL;
    for (size_t i = 0; i < build->requires.count && text == NULL; i++)
        if (string_starts(build->requires.items[i], torch))
    text = build->requires.items[i] + strlen(torch);
    if (text == NULL || build->cuda.count || build->cudas.count || build->cuda_range.from.count ||
        !version_parse_prefix(text, &wanted))
        return NULL;
    size_t count;
    const struct manifest_build *rows = manifest_builds_of(context->manifest, "pytorch", &count);
    for (size_t i = count; i > 0; i--)
        if (string_equal(rows[i - 1].is_default, "yes") && rows[i - 1].release &&
            string_equal(rows[i - 1].kind, "wheel") &&
            version_parse_prefix(rows[i - 1].release, &release) &&
            version_within(&release, &wanted))
            return &rows[i - 1];
    return NULL;
}

/* By the torch that it brings. */
static struct verdict by_torch(const struct resolve_context *context,
                               const struct manifest_build *build,
                               const struct manifest_build *torch, struct version *ret_cuda)
{
    struct build_fit fit = framework_fit(context, torch);
    AUTO_FREE char *words = build_words(build);
    AUTO_FREE char *brings = build_words(torch);
    char *why = mem_printf("%s brings %s; %s", words, brings, fit.verdict.why);
    free(fit.verdict.why);
    fit.verdict.why = why;
    *ret_cuda = fit.cuda;
    return fit.verdict;
}

/* PTX is compiled by the driver, which must know it: minor-version compatibility does not do. */
static void ask_for_exact(const struct resolve_context *context, const struct manifest_build *build,
                          const struct version *cuda, struct verdict *driver)
{
    char text[VERSION_TEXT_SIZE];
    AUTO_FREE char *words = build_words(build);
    AUTO_FREE char *have = words_driver(context);
    free(driver->why);
    if (cuda->count == 1) {
        *driver = (struct verdict){.fit = FIT_UNKNOWN, .reason = "build_cuda_unknown"};
        driver->why = mem_printf("%s has only PTX for this GPU; its CUDA %s release is not known, "
                                 "so it is not known whether %s compiles the PTX",
                                 words, version_text(cuda, 1, text), have);
        return;
    }
    driver->fit = FIT_NO;
    driver->reason = "driver_too_old_for_ptx";
    driver->why = mem_printf("%s has only PTX for this GPU, and %s does not compile PTX of CUDA "
                             "%s: minor-version compatibility does not cover that",
                             words, have, version_text(cuda, 2, text));
}

struct build_fit framework_fit(const struct resolve_context *context,
                               const struct manifest_build *build)
{
    struct build_fit fit = {.code = CODE_MACHINE};
    struct verdict parts[5];
    parts[0] = about_build(context, build);
    const struct manifest_build *torch = torch_of(context, build);
    struct verdict driver =
        torch ? by_torch(context, build, torch, &fit.cuda) : driver_cuda(context, build, &fit.cuda);
    parts[1] = fit_driver_gpus(context);
    parts[2] = build_gpus(context, build, &fit.cuda, &fit.code);
    if (fit.code == CODE_PTX && driver.fit == FIT_MINOR)
        ask_for_exact(context, build, &fit.cuda, &driver);
    measure_taken(context, build, &fit.cuda, &driver);
    parts[3] = stated_driver(context, build);
    if (parts[3].fit == FIT_COMPAT && driver.fit == FIT_NO) {
        free(driver.why); /* the compat that it brings is what counts */
        driver = (struct verdict){.fit = FIT_EXACT};
    }
    parts[4] = driver;
    struct verdict *worst = &parts[4];
    for (size_t i = 4; i > 0; i--)
        if (parts[i - 1].fit >= worst->fit && parts[i - 1].why)
            worst = &parts[i - 1];
    fit.verdict = *worst;
    for (size_t i = 0; i < 5; i++)
        if (&parts[i] != worst)
            free(parts[i].why);
    VERDICT_ROW(&fit.verdict, build);
    return fit;
}
