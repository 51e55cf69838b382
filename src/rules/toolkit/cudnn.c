/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/toolkit/cudnn.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/remedy/remedy.h"
#include "rules/toolkit/cudnn_copies.h"
#include "rules/toolkit/cudnn_framework.h"
#include "rules/toolkit/judges.h"

static bool is_cudnn(const struct facts *facts, const char *group)
{
    return string_equal(facts_string(facts, group, "name"), "libcudnn") &&
           !judged_library_is_stub(facts, group) && judged_library_fits(facts, group);
}

/* private: those count too that other packages keep for themselves. */
static const char *first_cudnn(const struct facts *facts, bool private)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;)
        if (is_cudnn(facts, group) && (private || !cudnn_is_private(facts, group)))
            return group;
    return NULL;
}

/* A library that asks for cuDNN and would not get it. */
static const char *in_need(const struct facts *facts, const char **ret_soname)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;) {
        const struct strlist *unresolved = facts_list(facts, group, "unresolved");
        for (size_t k = 0; unresolved && k < unresolved->count; k++) {
            if (!string_starts(unresolved->items[k], "libcudnn"))
                continue;
            *ret_soname = unresolved->items[k];
            return group;
        }
    }
    return NULL;
}

/* soname: of the cuDNN that is needed; NULL: nothing asks for it. */
static void add_install(const struct rule_context *context, struct finding *finding,
                        const char *soname)
{
    AUTO_TOOLKITS struct judged_toolkits toolkits = judged_toolkits(context->facts);
    const struct version *toolkit = toolkits.count ? &toolkits.items[0].version : NULL;
    unsigned cuda = toolkit && toolkit->count ? toolkit->part[0] : 0;
    unsigned major = soname ? cudnn_major_of(soname) : 0;
    const struct manifest_cudnn_wheel *wheel = manifest_cudnn_wheel_find(context->manifest, cuda);
    if (soname == NULL && wheel && !framework_on_jetson(context->facts))
        finding_fix_command(finding, FIX_SHELL, "in the Python environment that needs cuDNN",
                            "python3 -m pip install %s", wheel->package);
    remedy_install_cudnn(context, finding, major, cuda);
}

/* Most machines without cuDNN want none: only deep-learning programs use it, and the wheels of
 * PyTorch and JAX bring their own. So its absence is told, and fails only where a library that is
 * here asks for it. */
static void judge_no_cudnn(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *soname = NULL;
    const char *needing = in_need(facts, &soname);
    int64_t gpus = 0, toolkits = 0;
    facts_integer(facts, "pci", "count", &gpus);
    facts_integer(facts, "toolkit", "count", &toolkits);
    if (needing == NULL && gpus <= 0 && toolkits <= 0) {
        rule_skip(context, "there is neither a GPU nor a CUDA toolkit here");
        return;
    }
    struct finding *finding;
    if (needing) {
        finding = rule_found(context, severity_for_use(context->purpose),
                             "%s needs %s, but no cuDNN is installed",
                             facts_string(facts, needing, "path"), soname);
        finding_subject(finding, facts_string(facts, needing, "path"));
        finding_why(finding, "the library does not load without cuDNN");
        finding_evidence(finding, facts, needing, "unresolved");
    } else {
        finding = rule_found(context, SEVERITY_INFO, "no cuDNN is installed");
        finding_why(finding, "healthy unless a deep-learning program needs libcudnn; a CUDA "
                             "toolkit does not include cuDNN");
    }
    finding_evidence(finding, facts, "library", "count");
    add_install(context, finding, soname);
}

/* Without any of its own, a framework asks for it. */
static void wanted_found(struct rule_context *context, const struct framework_load *load)
{
    const struct facts *facts = context->facts;
    const char *private = first_cudnn(facts, true);
    AUTO_FREE char *words = framework_words(load->framework);
    AUTO_FREE char *inside = private ? mem_printf("; the copy at %s belongs to another package, "
                                                  "and only that package looks in that directory",
                                                  facts_string(facts, private, "path"))
                                     : mem_string("");
    struct finding *finding =
        rule_found(context, cudnn_severity_of_load(context, load),
                   "%s needs %s, but no cuDNN is installed%s", words, load->soname, inside);
    framework_finding(context, finding, load->framework);
    finding_why(finding, "without cuDNN, the framework does not start, or computes on the CPU; a "
                         "CUDA toolkit does not include cuDNN");
    finding_evidence(finding, facts, load->group, "by");
    finding_evidence(finding, facts, load->group, "path");
    framework_fix_extras(context, finding, load->framework);
    cudnn_fix_wheel(context, finding, load);
    remedy_install_cudnn(context, finding, cudnn_major_of(load->soname),
                         load->framework->cuda.part[0]);
    finding_follows(context, finding, "cuda_libs_missing");
}

static bool judge_frameworks(struct rule_context *context)
{
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    AUTO_LOADS struct framework_loads loads = framework_loads_of(context->facts, &frameworks);
    const struct framework *told = NULL;
    for (size_t i = 0; i < loads.count; i++) {
        const struct framework_load *load = &loads.items[i];
        if (!load->missing || !string_starts(load->soname, "libcudnn") || load->framework == told)
            continue;
        wanted_found(context, load);
        told = load->framework;
    }
    return told != NULL;
}

/* A copy where the loader does not look is cudnn_not_on_loader_path. */
void judge_cudnn_missing(struct rule_context *context)
{
    if (!rule_require_fact(context, "library", "count"))
        return;
    const char *unknown;
    if (first_cudnn(context->facts, false) || cudnn_on_loader_path(context->facts, &unknown) ||
        judge_frameworks(context) || first_cudnn(context->facts, true))
        return;
    if (unknown)
        rule_require_fact(context, unknown, "path");
    else
        judge_no_cudnn(context);
}
