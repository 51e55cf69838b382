/* SPDX-License-Identifier: MIT */
#include "manifest/toolkit/code_match.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework.h"
#include "rules/framework/framework_partial.h"
#include "rules/framework/judges.h"

/* gpu_newer_than_framework_build, gpu_too_old_for_framework, jetson_arch_missing_in_build: whether
 * a framework has code for the GPUs here. */

enum code { CODE_RUNS, CODE_NEWER, CODE_OLDER, CODE_NOT_OF_JETSON, CODE_UNSURE, CODE_UNKNOWN };

/* What is listed of PTX is that of the x86_64 build, where there is one. */
static struct framework_code listed_code(const struct facts *facts,
                                         const struct framework *framework)
{
    const struct manifest_build *build = framework->build;
    bool arm = string_equal(facts_string(facts, "os", "architecture"), "aarch64");
    struct framework_code lists = {.machine = NULL};
    const struct strlist *machine;
    if (build == NULL)
        return lists;
    machine = arm ? &build->sass_aarch64 : &build->sass;
    if (framework->conda && !string_equal(build->kind, "conda"))
        machine = &build->conda_sass;
    if (machine->count == 0)
        return lists;
    lists.machine = machine;
    if (!arm || !strlist_has(&build->arch, "x86_64"))
        lists.ptx = &build->ptx;
    return lists;
}

struct framework_code framework_code_of(const struct facts *facts,
                                        const struct framework *framework)
{
    const struct strlist *machine = facts_list(facts, framework->group, "sass");
    const struct strlist *ptx = facts_list(facts, framework->group, "ptx");
    if ((machine && machine->count) || (ptx && ptx->count))
        return (struct framework_code){.machine = machine, .ptx = ptx, .fact = "sass"};
    return listed_code(facts, framework);
}

/* What its makers state counts where the code is not known. */
static enum code judge_stated(const struct manifest_build *build, const struct version *gpu)
{
    if (build && build->capability_min.count && version_compare(gpu, &build->capability_min) < 0)
        return CODE_OLDER;
    return CODE_UNKNOWN;
}

/* True for a GPU on which the PTX of that build fails, whatever the driver compiles. */
static bool is_failing(const struct framework *framework, const struct version *gpu)
{
    char capability[VERSION_TEXT_SIZE];
    return framework->build &&
           strlist_has(&framework->build->ptx_fails, version_text(gpu, 0, capability));
}

/* True for a framework with a compiler of its own, which must know the GPU as well: PTX that was
 * not made for that GPU is no proof. */
static bool compiles_itself(struct manifest *manifest, const struct framework *framework)
{
    const struct manifest_framework *row =
        framework->build ? manifest_framework_find(manifest, framework->build->framework) : NULL;
    return row && row->jit;
}

/* CODE_UNSURE: there is code, and nothing tells whether the GPU takes it; CODE_UNKNOWN: what code
 * there is is not known. */
static enum code judge_gpu(struct manifest *manifest, const struct framework *framework,
                           const struct framework_code *lists, const struct version *gpu,
                           bool jetson)
{
    struct version low, high;
    if (lists->machine == NULL && !jetson)
        return judge_stated(framework->build, gpu);
    if (lists->machine == NULL || !code_list_bounds(lists->machine, &low, &high))
        return CODE_UNKNOWN;
    enum code_match machine = code_list_match_machine(manifest, lists->machine, gpu);
    enum code_match ptx = code_list_match_ptx(manifest, lists->ptx, gpu);
    if (machine != CODE_MATCH_YES && is_failing(framework, gpu))
        return CODE_NEWER;
    if (ptx == CODE_MATCH_YES && machine != CODE_MATCH_YES && !code_list_has(lists->ptx, gpu) &&
        compiles_itself(manifest, framework))
        return CODE_UNSURE;
    if (ptx == CODE_MATCH_YES)
        return CODE_RUNS;
    if (jetson)
        return code_list_has(lists->machine, gpu) ? CODE_RUNS : CODE_NOT_OF_JETSON;
    if (machine == CODE_MATCH_YES)
        return CODE_RUNS;
    if (machine == CODE_MATCH_UNSURE || ptx == CODE_MATCH_UNSURE)
        return CODE_UNSURE;
    return version_compare(gpu, &low) < 0 ? CODE_OLDER : CODE_NEWER;
}

/* A framework on the GPUs that it has no code for. */
struct misfit {
    const struct framework *framework;
    struct framework_code lists;
    const struct framework_gpu *gpu; /* the first of them */
    size_t gpus, all;
};

static struct misfit misfit_of(const struct rule_context *context,
                               const struct framework *framework, const struct framework_gpus *gpus,
                               enum code wanted)
{
    struct misfit misfit = {.framework = framework, .all = gpus->count};
    bool jetson = framework_on_jetson(context->facts);
    misfit.lists = framework_code_of(context->facts, framework);
    for (size_t i = 0; i < gpus->count; i++) {
        if (judge_gpu(context->manifest, framework, &misfit.lists, &gpus->items[i].capability,
                      jetson) != wanted)
            continue;
        if (misfit.gpus++ == 0)
            misfit.gpu = &gpus->items[i];
    }
    return misfit;
}

size_t framework_gpus_without_code(const struct rule_context *context,
                                   const struct framework *framework,
                                   const struct framework_gpus *gpus,
                                   const struct framework_gpu **ret_first)
{
    static const enum code codes[] = {CODE_OLDER, CODE_NEWER, CODE_NOT_OF_JETSON};
    size_t count = 0;
    *ret_first = NULL;
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        struct misfit misfit = misfit_of(context, framework, gpus, codes[i]);
        count += misfit.gpus;
        if (*ret_first == NULL)
            *ret_first = misfit.gpu;
    }
    return count;
}

static char *gpu_words(const struct misfit *misfit)
{
    char capability[VERSION_TEXT_SIZE];
    const char *name = misfit->gpu->name ? misfit->gpu->name : "the GPU";
    version_text(&misfit->gpu->capability, 0, capability);
    if (misfit->gpus < misfit->all)
        return mem_printf("%s (compute capability %s; %zu of %zu GPUs)", name, capability,
                          misfit->gpus, misfit->all);
    return mem_printf("%s (compute capability %s)", name, capability);
}

static void why_of(const struct misfit *misfit, struct finding *finding)
{
    char least[VERSION_TEXT_SIZE];
    if (misfit->lists.machine == NULL) {
        finding_why(finding,
                    "the developers say that this build needs compute capability %s or higher",
                    version_text(&misfit->framework->build->capability_min, 0, least));
        return;
    }
    AUTO_FREE char *list = strlist_join(misfit->lists.machine, ", ");
    if (is_failing(misfit->framework, &misfit->gpu->capability)) {
        finding_why(finding,
                    "it has machine code for %s; its PTX, which the driver compiles for newer "
                    "GPUs, is known to fail on this one: CUDA_ERROR_INVALID_PTX (error 218), then "
                    "CUDA_ERROR_INVALID_HANDLE",
                    list);
        finding_manifest(finding, misfit->framework->build->id);
        return;
    }
    finding_why(
        finding,
        "the build is for %s%s; machine code runs only on GPUs with the same major and the same or "
        "a higher minor capability, and there is no PTX that this GPU could use: programs fail "
        "with \"no kernel image is available for execution on the device\" (error 209)",
        list, misfit->lists.fact ? "" : " (according to its developers' build scripts)");
}

static struct finding *misfit_found(struct rule_context *context, const struct misfit *misfit)
{
    const struct framework *framework = misfit->framework;
    enum severity severity = misfit->gpus < misfit->all
                                 ? framework_severity_of_warning(context, framework)
                                 : framework_severity(context, framework);
    AUTO_FREE char *words = framework_words(framework);
    AUTO_FREE char *gpu = gpu_words(misfit);
    struct finding *finding = rule_found(context, severity, "%s has no code for %s", words, gpu);
    why_of(misfit, finding);
    framework_finding(context, finding, framework);
    if (misfit->lists.fact)
        finding_evidence(finding, context->facts, framework->group, misfit->lists.fact);
    finding_evidence(finding, context->facts, misfit->gpu->group,
                     facts_string(context->facts, misfit->gpu->group, "device_id") ? "device_id"
                                                                                   : "capability");
    return finding;
}

/* The library that holds its code is there and cannot be read, and files of the package are not as
 * they were installed: what its makers say of the build does not count then. */
static bool is_damaged(const struct facts *facts, const struct framework *framework)
{
    const struct fact *code = facts_get(facts, framework->group, "sass");
    const struct strlist *broken = facts_list(facts, framework->group, "broken");
    return framework->active && code && code->state == FACT_UNKNOWN && broken && broken->count > 0;
}

/* True, and the check is undecided, when the code could not be read. */
static bool tell_unread(struct rule_context *context, const struct framework *framework)
{
    const struct fact *code = facts_get(context->facts, framework->group, "sass");
    if (code == NULL || code->state != FACT_UNKNOWN)
        return false;
    AUTO_FREE char *words = framework_words(framework);
    rule_unknown(context, "it is not known which GPUs %s has code for: %s: %s", words, code->source,
                 code->reason);
    return true;
}

/* A GPU of the lowest compute capability that its makers state is one that they have code for, and
 * none above it is too old. */
static bool is_ruled_out(const struct framework *framework, const struct version *gpu,
                         enum code wanted)
{
    const struct manifest_build *build = framework->build;
    if (build == NULL || build->capability_min.count == 0)
        return false;
    int order = version_compare(gpu, &build->capability_min);
    return wanted == CODE_OLDER ? order >= 0 : order == 0;
}

/* Whether nothing tells that the framework has code for a GPU, or has none. */
static bool is_undecided(const struct rule_context *context, const struct framework *framework,
                         const struct framework_gpus *gpus, enum code wanted)
{
    struct framework_code lists = framework_code_of(context->facts, framework);
    bool jetson = framework_on_jetson(context->facts);
    if (!framework->active || !framework->for_cuda)
        return false;
    for (size_t i = 0; i < gpus->count; i++) {
        const struct version *gpu = &gpus->items[i].capability;
        if (judge_gpu(context->manifest, framework, &lists, gpu, jetson) == CODE_UNKNOWN &&
            !is_ruled_out(framework, gpu, wanted))
            return true;
    }
    return false;
}

/* CuPy and Triton make their code as they run: the library that was read holds none, or it was
 * built for no release of CUDA. */
static void tell_undecided(struct rule_context *context, const struct framework *framework)
{
    const char *library = facts_string(context->facts, framework->group, "library");
    const struct fact *cuda = facts_get(context->facts, framework->group, "cuda");
    AUTO_FREE char *words = framework_words(framework);
    if (tell_unread(context, framework) || !rule_require_fact(context, framework->group, "sass"))
        return;
    if (library)
        rule_skip(
            context,
            "%s has no GPU code in %s, and the manifest lists none for this build: the code is "
            "generated at run time, or is elsewhere",
            words, library);
    else if (cuda && cuda->state == FACT_ABSENT)
        rule_skip(context,
                  "%s is not built for a specific CUDA release: its code is generated at run time",
                  words);
    else
        rule_unknown(context,
                     "it is not known which GPU code %s has: its library was not found "
                     "(%s.library), and the manifest lists no GPU code for that build",
                     words, framework->group);
}

/* There is code, and nothing tells whether the GPU takes it. */
static void tell_unsure(struct rule_context *context, const struct framework *framework,
                        const struct framework_gpus *gpus)
{
    struct misfit unsure = misfit_of(context, framework, gpus, CODE_UNSURE);
    if (unsure.gpus == 0 || !framework->active || !framework->for_cuda)
        return;
    AUTO_FREE char *words = framework_words(framework);
    AUTO_FREE char *gpu = gpu_words(&unsure);
    AUTO_FREE char *list = strlist_join(unsure.lists.machine, ", ");
    rule_unknown(context,
                 "it is not known whether %s runs on %s: the build is for %s, and the manifest "
                 "does not say whether this GPU runs such code",
                 words, gpu, list);
}

static void judge_code(struct rule_context *context, enum code wanted)
{
    const struct facts *facts = context->facts;
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(facts, context->manifest);
    AUTO_FRAMEWORK_GPUS struct framework_gpus gpus = framework_gpus(context);
    if (!rule_require_frameworks(context, &frameworks))
        return;
    if (gpus.count == 0) {
        rule_skip(context, "no GPU here has a known compute capability");
        return;
    }
    if (framework_on_jetson(facts) != (wanted == CODE_NOT_OF_JETSON)) {
        rule_skip(context, wanted == CODE_NOT_OF_JETSON ? "this is not a Jetson"
                                                        : "on a Jetson, FRM-008 checks this");
        return;
    }
    for (size_t i = 0; i < frameworks.count; i++) {
        struct misfit misfit = misfit_of(context, &frameworks.items[i], &gpus, wanted);
        const struct framework_gpu *first;
        if (is_undecided(context, &frameworks.items[i], &gpus, wanted))
            tell_undecided(context, &frameworks.items[i]);
        else if (misfit.gpus == 0 && is_damaged(facts, &frameworks.items[i]))
            tell_unread(context, &frameworks.items[i]);
        if (wanted == CODE_NEWER)
            tell_unsure(context, &frameworks.items[i], &gpus);
        if (misfit.gpus == 0 ||
            framework_gpus_without_code(context, &frameworks.items[i], &gpus, &first) < gpus.count)
            continue; /* GPU-007 tells of a part of them */
        struct finding *finding = misfit_found(context, &misfit);
        framework_fix_build(context, finding, misfit.framework);
        if (wanted == CODE_OLDER)
            finding_fix_note(
                finding, FIX_ADVICE,
                "or build PyTorch from source with the GPU's architecture in TORCH_CUDA_ARCH_LIST, "
                "with a toolkit that still compiles for that architecture");
        if (wanted == CODE_NOT_OF_JETSON && framework_is_wrong_on_jetson(facts, misfit.framework))
            finding_follows(context, finding, "jetson_wrong_wheel");
        if (wanted == CODE_NOT_OF_JETSON)
            finding_fix_note(finding, FIX_ADVICE,
                             "use NVIDIA's wheel or container for this JetPack, or conda-forge's "
                             "build for Jetson");
    }
}

void judge_gpu_newer_than_framework_build(struct rule_context *context)
{
    judge_code(context, CODE_NEWER);
    framework_find_nvrtc_without_gpu(context, false);
}

void judge_gpu_too_old_for_framework(struct rule_context *context)
{
    judge_code(context, CODE_OLDER);
    framework_find_cudnn_without_gpu(context);
    framework_find_nvrtc_without_gpu(context, true);
}

void judge_jetson_arch_missing_in_build(struct rule_context *context)
{
    judge_code(context, CODE_NOT_OF_JETSON);
}
