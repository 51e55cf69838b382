/* SPDX-License-Identifier: MIT */
#include "manifest/manifest.h"
#include "manifest/toolkit/code.h"
#include "resolve/binary/binary_private.h"
#include "resolve/engine/fit.h"
#include "resolve/engine/resolution.h"
#include "resolve/engine/words.h"

/* One GPU and one binary. */
struct judging {
    struct resolve_context
        context; /* of all GPUs: one that may not use cuda-compat is enough against it */
    const struct resolve_gpu *gpu;
    const struct binary *binary;
    struct version cuda; /* that built it, or the least that can have */
};

static struct binary_verdict verdict_of(const struct judging *judging, enum binary_outcome outcome,
                                        const char *reason, const struct binary_code *code,
                                        char *why)
{
    struct binary_verdict verdict = {.outcome = outcome, .reason = reason, .code = code};
    verdict.why = why;
    if (code == NULL)
        return verdict;
    verdict.driver_min =
        binary_later(binary_driver_of_gpu(judging->context.manifest, &judging->gpu->capability),
                     binary_driver_of_cuda(judging->context.manifest, &judging->cuda));
    if (code->kind == BINARY_PTX)
        verdict.driver_min = binary_later(
            verdict.driver_min, binary_driver_of_ptx(judging->context.manifest, &code->ptx));
    return verdict;
}

/* Takes the words of a verdict of fit_…(), behind "lead: ". */
static struct binary_verdict verdict_from(const struct judging *judging,
                                          enum binary_outcome outcome,
                                          const struct binary_code *code, struct verdict *fit,
                                          const char *lead)
{
    AUTO_FREE char *words = fit->why;
    struct binary_verdict verdict =
        verdict_of(judging, outcome, fit->reason, code,
                   mem_printf("%s%s%s", lead, words ? "; " : "", words ? words : ""));
    verdict.row = fit->row;
    verdict.source = fit->source;
    verdict.confidence = fit->confidence;
    return verdict;
}

/* "machine code sm_80", "PTX compute_80 of version 7.8", with what is to be known of it. */
static char *code_words(const struct binary_code *code)
{
    char version[VERSION_TEXT_SIZE];
    AUTO_FREE char *name = binary_code_name(code);
    const char *unlinked = code->unlinked ? ", once it is linked" : "";
    if (code->kind != BINARY_PTX)
        return mem_printf("machine code %s%s", name, unlinked);
    if (code->ptx.count == 0)
        return mem_printf("PTX %s%s", name, unlinked);
    return mem_printf("PTX %s of version %s%s", name, version_text(&code->ptx, 0, version),
                      unlinked);
}

static struct verdict drives_gpu(const struct judging *judging)
{
    struct resolve_context context = judging->context;
    context.machine.gpus = judging->gpu;
    context.machine.gpu_count = 1;
    return fit_driver_gpus(&context);
}

/* What speaks against the driver, whatever code there is. False: nothing does. */
static bool driver_against(const struct judging *judging, const struct binary_code *code,
                           struct binary_verdict *ret_verdict)
{
    AUTO_FREE char *words = code_words(code);
    if (!fit_has_driver(&judging->context)) {
        *ret_verdict = verdict_of(
            judging, BINARY_UNKNOWN, "no_driver", code,
            mem_printf("there is %s for this GPU, but no driver was found to check it against",
                       words));
        return true;
    }
    AUTO_FREE char *lead = mem_printf("there is %s for this GPU", words);
    struct verdict fit = drives_gpu(judging);
    enum binary_outcome outcome =
        string_equal(fit.reason, "driver_drops_gpu") ? BINARY_DRIVER_DROPS : BINARY_DRIVER_TOO_OLD;
    if (fit.fit == FIT_EXACT && judging->cuda.count) {
        free(fit.why);
        fit = fit_driver_cuda(&judging->context, &judging->cuda);
        outcome = BINARY_DRIVER_TOO_OLD;
    }
    if (fit.fit < FIT_UNKNOWN) {
        free(fit.why);
        return false;
    }
    *ret_verdict =
        verdict_from(judging, fit.fit == FIT_NO ? outcome : BINARY_UNKNOWN, code, &fit, lead);
    return true;
}

static struct binary_verdict judge_sass(const struct judging *judging,
                                        const struct binary_code *code)
{
    struct binary_verdict verdict;
    if (driver_against(judging, code, &verdict))
        return verdict;
    return verdict_of(judging, BINARY_RUNS, "machine_code", code, code_words(code));
}

static struct binary_verdict ptx_unlisted(const struct judging *judging,
                                          const struct binary_code *code)
{
    AUTO_FREE char *words = code_words(code);
    if (code->ptx.count == 0)
        return verdict_of(judging, BINARY_UNKNOWN, "ptx_version_not_said", code,
                          mem_printf("there is only %s for this GPU; its version is not known, so "
                                     "the driver may not compile it",
                                     words));
    return verdict_of(
        judging, BINARY_UNKNOWN, "ptx_version_unlisted", code,
        mem_printf("there is only %s for this GPU, in a version that is not in this manifest (%s)",
                   words, manifest_date(judging->context.manifest)));
}

/* How the driver, or what of cuda-compat is present, compiles PTX of that CUDA: minor-version
 * compatibility does not do. */
static enum binary_outcome compiles(const struct judging *judging, const struct version *cuda,
                                    const char **ret_reason)
{
    struct verdict fit = fit_driver_cuda(&judging->context, cuda);
    enum fit compat = fit_compat(&judging->context, cuda);
    free(fit.why);
    *ret_reason = "ptx";
    if (fit.fit == FIT_EXACT)
        return BINARY_JIT;
    *ret_reason = "cuda_compat";
    if (compat == FIT_COMPAT)
        return BINARY_JIT;
    *ret_reason = compat == FIT_UNKNOWN ? "cuda_compat_unknown" : fit.reason;
    if (compat == FIT_UNKNOWN || fit.fit == FIT_UNKNOWN)
        return BINARY_UNKNOWN;
    *ret_reason = "driver_too_old_for_ptx";
    return BINARY_DRIVER_TOO_OLD;
}

/* "PTX compute_80 of version 8.7 (CUDA 12.8) is compiled by driver 580.95.05 (supports …)" */
static char *compiles_words(const struct judging *judging, const struct binary_code *code,
                            const struct manifest_ptx *row, enum binary_outcome outcome,
                            const char *reason)
{
    char cuda[VERSION_TEXT_SIZE];
    AUTO_FREE char *words = code_words(code);
    AUTO_FREE char *driver = words_driver(&judging->context);
    version_text(&row->cuda, 0, cuda);
    if (outcome == BINARY_UNKNOWN)
        return mem_printf("it is not known whether %s (CUDA %s) is compiled by %s", words, cuda,
                          driver);
    if (string_equal(reason, "cuda_compat"))
        return mem_printf("%s (CUDA %s) is compiled by the installed cuda-compat, on %s", words,
                          cuda, driver);
    return mem_printf("%s (CUDA %s) is %scompiled by %s%s", words, cuda,
                      outcome == BINARY_JIT ? "" : "the only code for this GPU, and it is not ",
                      driver, outcome == BINARY_JIT ? "" : ": error 222");
}

static struct binary_verdict judge_ptx(const struct judging *judging,
                                       const struct binary_code *code)
{
    struct binary_verdict verdict;
    const char *reason;
    if (driver_against(judging, code, &verdict))
        return verdict;
    const struct manifest_ptx *row = manifest_ptx_find(judging->context.manifest, &code->ptx);
    if (row == NULL)
        return ptx_unlisted(judging, code);
    enum binary_outcome outcome = compiles(judging, &row->cuda, &reason);
    verdict = verdict_of(judging, outcome, reason, code,
                         compiles_words(judging, code, row, outcome, reason));
    verdict.row = row->id;
    verdict.source = row->source;
    verdict.confidence = row->confidence;
    return verdict;
}

/* Code that may be for it: nobody says. */
static struct binary_verdict judge_unsure(const struct judging *judging,
                                          const struct binary_code *code)
{
    AUTO_FREE char *name = binary_code_name(code);
    struct manifest *manifest = judging->context.manifest;
    const struct manifest_integrated *row =
        manifest_integrated_find(manifest, &judging->gpu->capability);
    if (row == NULL)
        row = manifest_integrated_find(manifest, &code->capability);
    if (row == NULL || code->suffix)
        return verdict_of(judging, BINARY_UNKNOWN, "code_unsure", NULL,
                          mem_printf("it is not known whether %s runs on this GPU", name));
    struct binary_verdict verdict = verdict_of(
        judging, BINARY_UNKNOWN, "integrated_gpu", NULL,
        mem_printf("the nearest is %s: between integrated GPUs (Jetson) and others, NVIDIA "
                   "guarantees only that machine code for the same compute capability runs",
                   name));
    verdict.row = row->id;
    verdict.source = row->source;
    verdict.confidence = row->confidence;
    return verdict;
}

/* None of its code is for the GPU. */
static struct binary_verdict no_image(const struct judging *judging)
{
    static const char end[] = "(error 209, no kernel image is available)";
    struct version least = binary_least(judging->binary);
    AUTO_FREE char *sass = binary_names(judging->binary, BINARY_SASS);
    AUTO_FREE char *ptx = binary_names(judging->binary, BINARY_PTX);
    char text[VERSION_TEXT_SIZE];
    bool older = version_compare(&judging->gpu->capability, &least) < 0;
    char *why = older ? mem_printf("all code is for compute capability %s and later %s",
                                   version_text(&least, 0, text), end)
                      : mem_printf("none of the code is for this GPU: %s%s, %s%s %s",
                                   sass[0] ? "machine code " : "no machine code", sass,
                                   ptx[0] ? "PTX " : "no PTX", ptx, end);
    return verdict_of(judging, BINARY_NO_IMAGE, "no_kernel_image", NULL, why);
}

/* Code that could come to run, and of which that is not said. */
static struct binary_verdict judge_rest(const struct judging *judging)
{
    static const enum binary_kind kinds[] = {BINARY_SASS, BINARY_PTX, BINARY_LTO, BINARY_OTHER};
    const struct binary_code *found[4];
    enum code_match match;
    for (size_t i = 0; i < 4; i++)
        found[i] = binary_best(judging->context.manifest, judging->binary, NULL, kinds[i],
                               &judging->gpu->capability, &match);
    const struct binary_code *aside = found[0] ? found[0] : found[1];
    AUTO_FREE char *name = aside ? binary_code_name(aside) : NULL;
    AUTO_FREE char *lto = found[2] ? binary_code_name(found[2]) : NULL;
    if (aside)
        return verdict_of(
            judging, BINARY_UNKNOWN, "code_aside", NULL,
            aside->unlinked
                ? mem_printf("none of the linked code is for this GPU; the driver links %s at "
                             "program start, if all objects contain it",
                             name)
                : mem_printf("most of the code is not for this GPU; only a part has %s", name));
    if (lto)
        return verdict_of(judging, BINARY_UNKNOWN, "lto_ir", NULL,
                          mem_printf("there is only %s for this GPU, which a linker (nvlink, "
                                     "nvJitLink) must compile: LTO-IR does not run by itself",
                                     lto));
    if (found[3])
        return verdict_of(judging, BINARY_UNKNOWN, "code_unknown", NULL,
                          mem_string("the file has code of an unknown kind"));
    if (judging->binary->may_be_empty)
        return verdict_of(judging, BINARY_UNKNOWN, "perhaps_empty", NULL,
                          mem_string("none of the code is for this GPU; there is only what nvcc "
                                     "puts into a file without kernels"));
    return no_image(judging);
}

static struct binary_verdict judge(const struct judging *judging)
{
    struct manifest *manifest = judging->context.manifest;
    const struct version *capability = &judging->gpu->capability;
    struct binary_choice choice = binary_choice(judging->binary);
    enum code_match sass_match, ptx_match;
    if (capability->count == 0)
        return verdict_of(judging, BINARY_UNKNOWN, "gpu_unknown", NULL,
                          mem_string("the GPU's compute capability is not known"));
    const struct binary_code *sass =
        binary_best(manifest, judging->binary, &choice, BINARY_SASS, capability, &sass_match);
    const struct binary_code *ptx =
        binary_best(manifest, judging->binary, &choice, BINARY_PTX, capability, &ptx_match);
    if (sass_match == CODE_MATCH_YES)
        return judge_sass(judging, sass);
    if (ptx_match == CODE_MATCH_YES) {
        struct binary_verdict verdict = judge_ptx(judging, ptx);
        if (sass == NULL || !string_equal(verdict.reason, "driver_too_old_for_ptx"))
            return verdict;
        free(verdict.why);
    }
    if (sass || ptx)
        return judge_unsure(judging, sass ? sass : ptx);
    return judge_rest(judging);
}

struct binary_verdict binary_judge(struct manifest *manifest, const struct resolve_machine *machine,
                                   const struct resolve_gpu *gpu, const struct binary *binary)
{
    bool least;
    const struct judging judging = {
        .context = {.manifest = manifest, .machine = *machine},
        .gpu = gpu,
        .binary = binary,
        .cuda = binary_cuda(manifest, binary, &least),
    };
    return judge(&judging);
}

/* Of one code; count 0: not known. */
static struct version least_driver(struct manifest *manifest, const struct binary_code *code,
                                   const struct version *cuda)
{
    struct version floor = binary_driver_of_cuda(manifest, cuda);
    if (code->kind == BINARY_SASS)
        return binary_later(floor, binary_driver_of_gpu(manifest, &code->capability));
    struct version ptx = binary_driver_of_ptx(manifest, &code->ptx);
    return ptx.count ? binary_later(floor, ptx) : ptx;
}

struct binary_needs binary_needs(struct manifest *manifest, const struct binary *binary)
{
    struct binary_needs needs = {.capability = {.count = 0}};
    bool least, known = true, any = false;
    struct version cuda = binary_cuda(manifest, binary, &least);
    struct binary_choice choice = binary_choice(binary);
    for (size_t i = 0; i < binary->count; i++) {
        const struct binary_code *code = &binary->codes[i];
        if ((code->kind != BINARY_SASS && code->kind != BINARY_PTX) ||
            !binary_counts(&choice, code))
            continue;
        struct version driver = least_driver(manifest, code, &cuda);
        known = known && driver.count;
        if (!any || version_compare(&driver, &needs.driver) < 0)
            needs.driver = driver;
        if (code->capability.count && (needs.capability.count == 0 ||
                                       version_compare(&code->capability, &needs.capability) < 0))
            needs.capability = code->capability;
        any = true;
    }
    if (!known)
        needs.driver.count = 0;
    return needs;
}
