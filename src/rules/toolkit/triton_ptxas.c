/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/shell.h"
#include "manifest/versions/capability.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework.h"
#include "rules/toolkit/gpu_fit.h"
#include "rules/toolkit/judges.h"

/* triton_ptxas_unfit: Triton compiles with a ptxas of its own, which is of one CUDA release. */

/* What Triton compiles with for a GPU. */
struct assembler {
    const char *name;  /* ptxas, or ptxas-blackwell, which newer ones have for 10.0 and up */
    const char *text;  /* 12.8.93; NULL: not known */
    const char *group; /* of the variable that names it; NULL: Triton's own */
    struct version release;
};

static const char *release_in(const struct facts *facts, const struct framework *framework,
                              const char *name)
{
    const struct strlist *list =
        framework ? facts_list(facts, framework->group, "compilers") : NULL;
    size_t length = strlen(name);
    for (size_t i = 0; list && i < list->count; i++)
        if (string_starts(list->items[i], name) && list->items[i][length] == ' ')
            return list->items[i] + length + 1;
    return NULL;
}

/* The variable's, if the program is there; else Triton takes its own. */
static struct assembler assembler_for(const struct facts *facts, const struct framework *triton,
                                      const struct version *capability)
{
    bool has_two = release_in(facts, triton, "ptxas-blackwell") != NULL;
    bool blackwell = has_two && capability->part[0] >= 10;
    struct assembler assembler = {.name = blackwell ? "ptxas-blackwell" : "ptxas"};
    const char *group = blackwell ? "ptxas/TRITON_PTXAS_BLACKWELL_PATH" : "ptxas/TRITON_PTXAS_PATH";
    if (facts_true(facts, group, "there")) {
        assembler.group = group;
        assembler.text = facts_string(facts, group, "release");
    } else {
        assembler.text = release_in(facts, triton, assembler.name);
    }
    if (assembler.text == NULL || !version_parse_prefix(assembler.text, &assembler.release))
        assembler.release = (struct version){.count = 0};
    return assembler;
}

/* torch.compile has Triton take PyTorch's own copy, where there is one and no variable. */
static bool torch_has_one_that_fits(const struct rule_context *context,
                                    const struct frameworks *frameworks,
                                    const struct framework *triton,
                                    const struct assembler *assembler,
                                    const struct version *capability)
{
    struct version release;
    for (size_t i = 0; i < frameworks->count; i++) {
        const struct framework *torch = &frameworks->items[i];
        const char *text = string_equal(torch->name, "pytorch") &&
                                   string_equal(torch->environment, triton->environment)
                               ? release_in(context->facts, torch, "ptxas")
                               : NULL;
        if (assembler->group == NULL && string_equal(assembler->name, "ptxas") && text &&
            version_parse_prefix(text, &release) &&
            gpu_fit_of(context->manifest, capability, &release) == GPU_FITS)
            return true;
    }
    return false;
}

/* vLLM's kernels need Triton whatever a program asks for. */
static bool is_needed(const struct frameworks *frameworks, const struct framework *triton)
{
    for (size_t i = 0; i < frameworks->count; i++)
        if (string_equal(frameworks->items[i].name, "vllm") &&
            string_equal(frameworks->items[i].environment, triton->environment))
            return true;
    return false;
}

/* A toolkit here whose ptxas knows the GPU. */
static const char *toolkit_that_fits(const struct rule_context *context,
                                     const struct version *capability)
{
    const struct facts *facts = context->facts;
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "toolkit", &i)) != NULL;) {
        const char *text = facts_string(facts, group, "version");
        const struct strlist *missing = facts_list(facts, group, "missing");
        struct version version;
        if (text && missing && !strlist_has(missing, "ptxas") && version_parse(text, &version) &&
            gpu_fit_of(context->manifest, capability, &version) == GPU_FITS)
            return facts_string(facts, group, "path");
    }
    return NULL;
}

static void add_fixes(const struct rule_context *context, struct finding *finding,
                      const struct assembler *assembler, const struct framework_gpu *gpu)
{
    const char *variable = string_equal(assembler->name, "ptxas") ? "TRITON_PTXAS_PATH"
                                                                  : "TRITON_PTXAS_BLACKWELL_PATH";
    const char *toolkit = toolkit_that_fits(context, &gpu->capability);
    if (assembler->group)
        finding_fix_command(finding, FIX_SHELL, "then Triton takes its own", "unset %s", variable);
    if (toolkit) {
        AUTO_FREE char *quoted = shell_quote(toolkit);
        finding_fix_command(finding, FIX_SHELL, "the toolkit's knows the GPU",
                            "export %s=%s/bin/ptxas", variable, quoted);
    } else {
        finding_fix_note(finding, FIX_ADVICE,
                         "install a CUDA toolkit that knows the GPU, and set %s to its bin/ptxas; "
                         "or install a release of Triton whose ptxas does",
                         variable);
    }
}

static void unfit_found(struct rule_context *context, const struct frameworks *frameworks,
                        const struct framework *triton, const struct framework_gpu *gpu,
                        const struct assembler *assembler, enum gpu_fit fit)
{
    const struct facts *facts = context->facts;
    const struct manifest_capability *row =
        manifest_capability_find(context->manifest, &gpu->capability);
    char capability[VERSION_TEXT_SIZE], bound[VERSION_TEXT_SIZE];
    version_text(fit == GPU_TOO_OLD ? &row->first_cuda : &row->last_cuda, 0, bound);
    version_text(&gpu->capability, 0, capability);
    AUTO_FREE char *words = framework_words(triton);
    AUTO_FREE char *named =
        gpu->name && !string_equal(gpu->name, capability)
            ? mem_printf("the %s (compute capability %s)", gpu->name, capability)
            : mem_printf("compute capability %s", capability);
    struct finding *finding = rule_found(
        context,
        is_needed(frameworks, triton) ? framework_severity(context, triton)
                                      : framework_severity_of_warning(context, triton),
        "%s compiles with %s of CUDA %s%s%s, which does not know %s: the %s CUDA that does is %s",
        words, assembler->name, assembler->text, assembler->group ? " from " : "",
        assembler->group ? strchr(assembler->group, '/') + 1 : "", named,
        fit == GPU_TOO_OLD ? "first" : "last", bound);
    framework_finding(context, finding, triton);
    finding_why(finding,
                "every kernel of Triton's stops: \"Value 'sm_%u%u' is not defined for "
                "option 'gpu-name'\"; torch.compile and vLLM compile such kernels",
                gpu->capability.part[0], gpu->capability.part[1]);
    finding_manifest(finding, row->id);
    finding_evidence(finding, facts, triton->group, "compilers");
    if (assembler->group) {
        finding_evidence(finding, facts, assembler->group, "path");
        finding_evidence(finding, facts, assembler->group, "release");
    }
    add_fixes(context, finding, assembler, gpu);
}

static void judge_triton(struct rule_context *context, const struct frameworks *frameworks,
                         const struct framework *triton, const struct framework_gpus *gpus)
{
    for (size_t i = 0; i < gpus->count; i++) {
        const struct framework_gpu *gpu = &gpus->items[i];
        struct assembler assembler = assembler_for(context->facts, triton, &gpu->capability);
        enum gpu_fit fit = gpu_fit_of(context->manifest, &gpu->capability, &assembler.release);
        if ((fit != GPU_TOO_OLD && fit != GPU_TOO_NEW) ||
            torch_has_one_that_fits(context, frameworks, triton, &assembler, &gpu->capability))
            continue;
        unfit_found(context, frameworks, triton, gpu, &assembler, fit);
        return;
    }
}

void judge_triton_ptxas_unfit(struct rule_context *context)
{
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    AUTO_FRAMEWORK_GPUS struct framework_gpus gpus = framework_gpus(context);
    size_t tritons = 0;
    if (!rule_require_framework_gpus(context, &frameworks, &gpus))
        return;
    for (size_t i = 0; i < frameworks.count; i++)
        if (string_equal(frameworks.items[i].name, "triton-language")) {
            judge_triton(context, &frameworks, &frameworks.items[i], &gpus);
            tritons++;
        }
    if (tritons == 0)
        rule_skip(context, "no Triton is installed");
}
