/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/judged.h"
#include "rules/cudnn_copies.h"
#include "rules/judges.h"
#include "rules/remedy.h"

/* There is no wheel for a CUDA major without minor-version compatibility: no nvidia-cudnn-cu10. */
static bool has_wheel(struct manifest *manifest, const struct version *cuda)
{
    const struct manifest_cuda_major *row =
        cuda->count ? manifest_cuda_major_find(manifest, cuda->part[0]) : NULL;
    return row && row->driver_min.count;
}

static bool is_cudnn(const struct facts *facts, const char *group)
{
    return string_equal(facts_string(facts, group, "name"), "libcudnn") &&
           !judged_library_is_stub(facts, group) && judged_library_fits(facts, group);
}

static const char *first_cudnn(const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;)
        if (is_cudnn(facts, group))
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

static void add_install(const struct rule_context *context, struct finding *finding)
{
    AUTO_TOOLKITS struct judged_toolkits toolkits = judged_toolkits(context->facts);
    if (toolkits.count && has_wheel(context->manifest, &toolkits.items[0].version))
        finding_fix_command(finding, false, false, "in the Python environment that needs it",
                            "python3 -m pip install nvidia-cudnn-cu%u",
                            toolkits.items[0].version.part[0]);
    remedy_install_packages(context, finding, "cudnn", "cudnn");
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
        rule_skip(context, "neither a GPU nor a CUDA toolkit is here");
        return;
    }
    struct finding *finding;
    if (needing) {
        finding = rule_found(context, severity_for_use(context->profile),
                             "%s needs %s, and no cuDNN is installed",
                             facts_string(facts, needing, "path"), soname);
        finding_subject(finding, facts_string(facts, needing, "path"));
        finding_why(finding, "the library does not load without it");
        finding_evidence(finding, facts, needing, "unresolved");
    } else {
        finding = rule_found(context, SEVERITY_INFO, "no cuDNN is installed");
        finding_why(finding, "that is fine unless a deep-learning program asks for libcudnn; "
                             "a CUDA toolkit does not bring it");
    }
    finding_evidence(finding, facts, "library", "count");
    add_install(context, finding);
}

/* A copy where the loader does not look is cudnn_not_on_loader_path. */
void judge_cudnn_missing(struct rule_context *context)
{
    if (rule_lacks(context, "library", "count"))
        return;
    const char *unknown;
    if (first_cudnn(context->facts) || cudnn_on_loader_path(context->facts, &unknown))
        return;
    if (unknown)
        rule_lacks(context, unknown, "path");
    else
        judge_no_cudnn(context);
}
