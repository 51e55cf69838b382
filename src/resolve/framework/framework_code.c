/* SPDX-License-Identifier: MIT */
#include "manifest/toolkit/code_match.h"
#include "resolve/engine/fit.h"
#include "resolve/engine/resolution.h"
#include "resolve/framework/framework.h"

/* "11.x", "11.2+", "11.2" */
static bool words_have_cuda(const char *words, const struct version *cuda)
{
    struct version version;
    if (!version_parse_prefix(words, &version))
        return false;
    if (string_ends(words, "+"))
        return version.part[0] == cuda->part[0] && version_compare(cuda, &version) >= 0;
    return version_within(cuda, &version);
}

static bool row_has_cuda(const struct manifest_framework_capability *row,
                         const struct version *cuda)
{
    for (size_t i = 0; i < row->cudas.count && cuda->count; i++)
        if (words_have_cuda(row->cudas.items[i], cuda))
            return true;
    return false;
}

/* A GPU without a row of its own runs what is listed for a lower minor of its major. */
static bool lower_is_listed(const struct resolve_context *context,
                            const struct manifest_build *build, const struct version *cuda,
                            const struct resolve_gpu *gpu)
{
    size_t count;
    const struct manifest_framework_capability *rows =
        manifest_framework_capabilities(context->manifest, &count);
    for (size_t i = 0; i < count; i++) {
        const struct code_item item = {.capability = rows[i].capability};
        if (string_equal(rows[i].framework, build->framework) && row_has_cuda(&rows[i], cuda) &&
            code_match_machine(context->manifest, &item, &gpu->capability) == CODE_MATCH_YES)
            return true;
    }
    return false;
}

/* What is listed for the framework's packages as a whole, by their CUDA. The lists are of the
 * documentation, which is often older than a build: a package that is not there may have the code
 * all the same, if its CUDA can make it. */
static enum code listed_code(const struct resolve_context *context,
                             const struct manifest_build *build, const struct version *cuda,
                             const struct resolve_gpu *gpu)
{
    size_t count;
    const struct manifest_framework_capability *rows =
        manifest_framework_capabilities(context->manifest, &count);
    for (size_t i = 0; i < count; i++) {
        if (!string_equal(rows[i].framework, build->framework) ||
            version_compare(&rows[i].capability, &gpu->capability) != 0)
            continue;
        if (row_has_cuda(&rows[i], cuda))
            return CODE_MACHINE;
        struct verdict toolkit = fit_toolkit_gpu(context, gpu, cuda);
        free(toolkit.why);
        return toolkit.fit == FIT_NO ? CODE_NONE : CODE_UNKNOWN;
    }
    return lower_is_listed(context, build, cuda, gpu) ? CODE_MACHINE : CODE_UNKNOWN;
}

static bool has_list(const struct manifest_build *build)
{
    return build->sass.count || build->sass_aarch64.count || build->ptx.count;
}

/* ">8.0": what its makers say of GPUs that are newer than the documentation. */
static bool words_have_newer(const char *words, const struct version *gpu)
{
    struct version version;
    return words[0] == '>' && version_parse(words + 1, &version) &&
           version_compare(gpu, &version) > 0;
}

/* Whether the makers say that it runs on the GPU. Documentation is often older than the build, or
 * than the GPU: what the CUDA of the build does not compile for is not taken from it, but for
 * GPUs that run machine code of a capability that is named. */
static bool is_documented(const struct resolve_context *context, const struct manifest_build *build,
                          const struct version *cuda, const struct resolve_gpu *gpu)
{
    const struct version *capability = &gpu->capability;
    if (has_list(build) || cuda->count == 0)
        return false;
    struct verdict toolkit = fit_toolkit_gpu(context, gpu, cuda);
    free(toolkit.why);
    bool early = string_equal(toolkit.reason, "toolkit_precedes_gpu");
    if (toolkit.fit != FIT_EXACT && !early)
        return false;
    if (code_list_match_machine(context->manifest, &build->capabilities, capability) ==
        CODE_MATCH_YES)
        return true;
    for (size_t i = 0; !early && i < build->capabilities.count; i++)
        if (words_have_newer(build->capabilities.items[i], capability))
            return true;
    return !early && build->capabilities.count == 0 && build->capability_min.count &&
           version_compare(capability, &build->capability_min) >= 0;
}

bool framework_ptx_fails(const struct manifest_build *build, const struct version *capability)
{
    char text[VERSION_TEXT_SIZE];
    return strlist_has(&build->ptx_fails, version_text(capability, 0, text));
}

const char *framework_compiler(const struct resolve_context *context,
                               const struct manifest_build *build)
{
    const struct manifest_framework *framework =
        manifest_framework_find(context->manifest, build->framework);
    return framework ? framework->jit : NULL;
}

/* Of a framework whose builds have no code for GPUs. */
static enum code own_code(const struct resolve_context *context, const char *gpu_code,
                          const struct version *cuda, const struct resolve_gpu *gpu)
{
    if (string_equal(gpu_code, "none"))
        return CODE_NOT_NEEDED;
    if (cuda->count == 0 || gpu->capability.count == 0)
        return CODE_UNKNOWN;
    struct verdict toolkit = fit_toolkit_gpu(context, gpu, cuda);
    free(toolkit.why);
    if (string_equal(toolkit.reason, "toolkit_drops_gpu"))
        return CODE_NONE;
    return toolkit.fit == FIT_EXACT ? CODE_COMPILED : CODE_UNKNOWN;
}

/* What is listed of PTX is that of the x86_64 build, but where aarch64 has the only one. */
static enum code gpu_code(const struct resolve_context *context, const struct manifest_build *build,
                          const struct version *cuda, const struct resolve_gpu *gpu)
{
    bool arm = string_equal(context->machine.architecture, "aarch64");
    const struct strlist *sass = arm ? &build->sass_aarch64 : &build->sass;
    const struct manifest_framework *framework =
        manifest_framework_find(context->manifest, build->framework);
    if (framework && framework->gpu_code && !has_list(build))
        return own_code(context, framework->gpu_code, cuda, gpu);
    if (gpu->capability.count == 0)
        return CODE_UNKNOWN;
    enum code_match machine = code_list_match_machine(context->manifest, sass, &gpu->capability);
    enum code_match ptx = code_list_match_ptx(context->manifest, &build->ptx, &gpu->capability);
    if (machine == CODE_MATCH_YES)
        return CODE_MACHINE;
    if (framework_ptx_fails(build, &gpu->capability))
        return CODE_NONE;
    bool arm_alone = build->arch.count > 0 && !strlist_has(&build->arch, "x86_64");
    if (ptx == CODE_MATCH_YES && arm && !arm_alone)
        return CODE_UNKNOWN;
    bool made_for_it = code_list_has(&build->ptx, &gpu->capability);
    if (ptx == CODE_MATCH_YES)
        return framework_compiler(context, build) && !made_for_it ? CODE_COMPILER_UNKNOWN
                                                                  : CODE_PTX;
    if (sass->count)
        return machine == CODE_MATCH_UNSURE || ptx == CODE_MATCH_UNSURE ? CODE_UNKNOWN : CODE_NONE;
    enum code listed = listed_code(context, build, cuda, gpu);
    return listed == CODE_UNKNOWN && is_documented(context, build, cuda, gpu) ? CODE_DOCUMENTED
                                                                              : listed;
}

enum code framework_code(const struct resolve_context *context, const struct manifest_build *build,
                         const struct version *cuda, const struct resolve_gpu **ret_gpu)
{
    enum code worst = CODE_MACHINE;
    *ret_gpu = NULL;
    for (size_t i = 0; i < context->machine.gpu_count; i++) {
        const struct resolve_gpu *gpu = &context->machine.gpus[i];
        enum code one = gpu_code(context, build, cuda, gpu);
        if (one > worst) {
            worst = one;
            *ret_gpu = gpu;
        }
    }
    return worst;
}

const char *framework_code_words(enum code code)
{
    static const char *const words[CODE_NONE + 1] = {
        [CODE_MACHINE] = "there is machine code for every GPU here",
        [CODE_NOT_NEEDED] = "it has no code for GPUs, and needs none",
        [CODE_COMPILED] = "its code is compiled on this machine, for the GPU here",
        [CODE_PTX] = "there is PTX that the driver compiles for the GPU",
        [CODE_DOCUMENTED] = ("the developers state support for this compute capability, but the "
                             "machine code is not listed"),
    };
    return words[code];
}
