/* SPDX-License-Identifier: MIT */
#include "manifest/versions/capability.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework.h"
#include "rules/remedy/remedy.h"
#include "rules/toolkit/gpu_fit.h"
#include "rules/toolkit/judges.h"
#include "rules/toolkit/toolkit_choice.h"

/* Toolkits that do not compile for the GPUs here. */

/* Thor is 10.1 in CUDA 12, and 11.0 from 13.0 on. */
static bool is_known_by_other_number(struct manifest *manifest, const struct version *capability,
                                     const struct version *cuda)
{
    size_t count;
    const struct manifest_capability *rows = manifest_capability_all(manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].renamed_to.count && version_compare(&rows[i].renamed_to, capability) == 0 &&
            version_compare(cuda, &rows[i].first_cuda) >= 0 &&
            version_compare(cuda, &rows[i].last_cuda) <= 0)
            return true;
    return false;
}

enum gpu_fit gpu_fit_of(struct manifest *manifest, const struct version *capability,
                        const struct version *release)
{
    const struct manifest_capability *row = manifest_capability_find(manifest, capability);
    struct version cuda = *release;
    if (row == NULL || cuda.count < 2)
        return GPU_FIT_UNKNOWN;
    cuda.count = 2;
    if (is_known_by_other_number(manifest, capability, &cuda))
        return GPU_FITS;
    if (row->first_cuda.count && version_compare(&cuda, &row->first_cuda) < 0)
        return GPU_TOO_OLD;
    if (row->last_cuda.count && version_compare(&cuda, &row->last_cuda) > 0)
        return GPU_TOO_NEW;
    return GPU_FITS;
}

/* How many GPUs a toolkit does not fit in that way, and the first of them. */
static size_t gpus_unfit(const struct rule_context *context, const struct framework_gpus *gpus,
                         const struct judged_toolkit *toolkit, enum gpu_fit fit,
                         const struct framework_gpu **ret_first)
{
    size_t unfit = 0;
    for (size_t i = gpus->count; i > 0; i--)
        if (gpu_fit_of(context->manifest, &gpus->items[i - 1].capability, &toolkit->version) ==
            fit) {
            *ret_first = &gpus->items[i - 1];
            unfit++;
        }
    return unfit;
}

/* Another toolkit here that compiles for the GPU; NULL: none. */
static const struct judged_toolkit *toolkit_that_fits(const struct rule_context *context,
                                                      const struct judged_toolkits *toolkits,
                                                      const struct framework_gpu *gpu)
{
    for (size_t i = 0; i < toolkits->count; i++) {
        const struct judged_toolkit *toolkit = &toolkits->items[i];
        const struct strlist *missing = facts_list(context->facts, toolkit->group, "missing");
        if (missing && !strlist_has(missing, "nvcc") &&
            gpu_fit_of(context->manifest, &gpu->capability, &toolkit->version) == GPU_FITS)
            return toolkit;
    }
    return NULL;
}

static void unfit_found(struct rule_context *context, const struct judged_toolkits *toolkits,
                        const struct judged_toolkit *toolkit, const struct framework_gpu *gpu,
                        enum severity severity, enum gpu_fit fit)
{
    char capability[VERSION_TEXT_SIZE], bound[VERSION_TEXT_SIZE];
    const struct manifest_capability *row =
        manifest_capability_find(context->manifest, &gpu->capability);
    const struct version *other = fit == GPU_TOO_OLD ? &row->first_cuda : &row->last_cuda;
    version_text(other, 0, bound);
    version_text(&gpu->capability, 0, capability);
    AUTO_FREE char *name = gpu->name ? mem_printf("the %s", gpu->name) : mem_string("the GPU");
    struct finding *finding = rule_found(
        context, severity, "the CUDA toolkit %s in %s does not compile for %s (%s): %s %s",
        toolkit->text, toolkit->path, name, capability,
        fit == GPU_TOO_OLD ? "the first CUDA that does is" : "the last CUDA that does is", bound);
    finding_subject(finding, toolkit->path);
    finding_why(finding,
                fit == GPU_TOO_OLD
                    ? "an nvcc that is older than a GPU's compute capability does not know it: "
                      "\"Unsupported gpu architecture\""
                    : "newer CUDA releases no longer compile for older GPUs: \"Unsupported gpu "
                      "architecture\"");
    finding_evidence(finding, context->facts, toolkit->group, "version");
    finding_evidence(finding, context->facts, gpu->group, "device_id");
    finding_manifest(finding, row->id);
    if (fit == GPU_TOO_OLD)
        finding_follows(context, finding, "distro_nvcc_shadows_toolkit");
    const struct judged_toolkit *fitting = toolkit_that_fits(context, toolkits, gpu);
    if (fitting)
        toolkit_fix_use(finding, "uses a toolkit that compiles for it", fitting);
    remedy_install_toolkit(context, finding, other);
}

/* Whose architectures a variable names: then the GPUs here say nothing. */
static const char *targets_named_by(const struct facts *facts)
{
    static const char *const names[] = {"CUDAARCHS", "TORCH_CUDA_ARCH_LIST"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = facts_string(facts, "environment", names[i]);
        if (value && *value >= '0' && *value <= '9')
            return names[i];
    }
    return NULL;
}

static void judge_fit(struct rule_context *context, const struct toolkit_build *build,
                      enum gpu_fit fit)
{
    const struct judged_toolkit *toolkit = build->toolkit;
    AUTO_FRAMEWORK_GPUS struct framework_gpus gpus = framework_gpus(context);
    const struct framework_gpu *first = NULL;
    const char *named_by = targets_named_by(context->facts);
    if (gpus.count == 0)
        rule_skip(context, "no GPU is known here for which code could be compiled");
    else if (toolkit->version.count < 2)
        rule_skip(context, "the version of the toolkit in %s is not known", toolkit->path);
    else if (named_by)
        rule_skip(context, "%s names the architectures", named_by);
    else {
        size_t unfit = gpus_unfit(context, &gpus, toolkit, fit, &first);
        if (unfit == 0 && gpus_unfit(context, &gpus, toolkit, GPU_FIT_UNKNOWN, &first))
            rule_unknown(context, "the manifest does not list the compute capability of the GPU");
        if (unfit)
            unfit_found(context, build->toolkits, toolkit, first,
                        unfit == gpus.count ? SEVERITY_FAIL : SEVERITY_WARN, fit);
    }
}

static void too_old_for_gpu(struct rule_context *context, const struct toolkit_build *build)
{
    judge_fit(context, build, GPU_TOO_OLD);
}

void judge_toolkit_too_old_for_gpu(struct rule_context *context)
{
    rule_judge_build(context, too_old_for_gpu);
}

static void too_new_for_gpu(struct rule_context *context, const struct toolkit_build *build)
{
    judge_fit(context, build, GPU_TOO_NEW);
}

void judge_toolkit_too_new_for_gpu(struct rule_context *context)
{
    rule_judge_build(context, too_new_for_gpu);
}

static void shadow_found(struct rule_context *context, const struct toolkit_choices *choices)
{
    const struct facts *facts = context->facts;
    AUTO_FRAMEWORK_GPUS struct framework_gpus gpus = framework_gpus(context);
    const struct framework_gpu *gpu = NULL;
    bool stops =
        gpus_unfit(context, &gpus, choices->path, GPU_TOO_OLD, &gpu) > 0 &&
        gpu_fit_of(context->manifest, &gpu->capability, &choices->standard->version) == GPU_FITS;
    struct finding *finding =
        rule_found(context, stops ? SEVERITY_FAIL : SEVERITY_WARN,
                   "the first nvcc on PATH is /usr/bin/nvcc, CUDA %s of the package "
                   "nvidia-cuda-toolkit, not CUDA %s in /usr/local/cuda",
                   choices->path->text, choices->standard->text);
    finding_subject(finding, "/usr/bin/nvcc");
    finding_why(finding,
                stops ? "that nvcc is too old for the GPU here: \"Unsupported gpu architecture\""
                      : "builds that search PATH take the distribution's nvcc, and others take "
                        "/usr/local/cuda: a program can then contain parts of two CUDA versions");
    finding_evidence(finding, facts, "toolkit", "nvcc_on_path");
    finding_evidence(finding, facts, choices->path->group, "version");
    finding_evidence(finding, facts, choices->standard->group, "version");
    finding_evidence(finding, facts, "environment", "PATH");
    toolkit_fix_use(finding, NULL, choices->standard);
    if (remedy_distribution(facts) == DISTRIBUTION_UBUNTU ||
        remedy_distribution(facts) == DISTRIBUTION_DEBIAN)
        finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT,
                            "if nothing needs the distribution's CUDA",
                            "sudo apt-get remove nvidia-cuda-toolkit");
}

static void shadow_of_build(struct rule_context *context, const struct toolkit_build *build)
{
    const struct toolkit_choices *choices = build->choices;
    bool distribution =
        choices->path &&
        string_equal(facts_string(context->facts, choices->path->group, "origin"), "package");
    if (!distribution)
        rule_skip(context, "the first nvcc on PATH is not the distribution's");
    else if (choices->home == NULL && choices->cudacxx == NULL &&
             toolkit_differs(choices->path, choices->standard))
        shadow_found(context, choices);
}

void judge_distro_nvcc_shadows_toolkit(struct rule_context *context)
{
    rule_judge_build(context, shadow_of_build);
}
