/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/versions/threshold.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework.h"
#include "rules/framework/framework_partial.h"
#include "rules/framework/judges.h"

/* cuda_visible_devices_uuid_unparsed, mig_uuid_parse_zero_devices: PyTorch counts GPUs through NVML
 * and reads CUDA_VISIBLE_DEVICES itself. Releases between two rows of the thresholds cannot read a
 * UUID there, though CUDA can. */

#define VARIABLE "CUDA_VISIBLE_DEVICES"

struct form {
    const char *prefix; /* GPU- */
    const char *what;
    const char *until; /* threshold: the first release that reads it */
};

static bool is_affected(const struct rule_context *context, const struct framework *framework,
                        const char *until)
{
    const struct manifest_threshold *from =
        manifest_threshold_find(context->manifest, "torch-counts-by-nvml");
    const struct manifest_threshold *to = manifest_threshold_find(context->manifest, until);
    struct version version;
    if (!string_equal(framework->name, "pytorch") || !framework->for_cuda || from == NULL ||
        to == NULL || !version_parse_prefix(framework->version, &version))
        return false;
    return version_compare(&version, &from->version) >= 0 &&
           version_compare(&version, &to->version) < 0;
}

static void unparsed_found(struct rule_context *context, const struct framework *framework,
                           const struct form *form)
{
    const struct manifest_threshold *to = manifest_threshold_find(context->manifest, form->until);
    char fixed[VERSION_TEXT_SIZE];
    AUTO_FREE char *words = framework_words(framework);
    struct finding *finding =
        rule_found(context, framework_severity(context, framework),
                   "%s finds no GPU: it cannot parse %s in " VARIABLE, words, form->what);
    finding_why(finding,
                "torch.cuda.device_count() reads the variable itself, and supports %s only since "
                "%s; CUDA supports such values, so other programs see the GPU",
                form->what, version_text(&to->version, 0, fixed));
    framework_finding(context, finding, framework);
    finding_manifest(finding, to->id);
    finding_evidence(finding, context->facts, "environment", VARIABLE);
    finding_evidence(finding, context->facts, "cuda", "count");
    framework_fix_build(context, finding, framework);
    if (string_equal(form->prefix, "GPU-"))
        finding_fix_note(
            finding, FIX_ADVICE,
            "or select the GPU by its number: nvidia-smi -L shows which GPU has this UUID");
    else
        finding_fix_note(finding, FIX_ADVICE,
                         "or unset the variable if the job sees only one MIG device");
}

static void judge_form(struct rule_context *context, const struct form *form)
{
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    const char *value = facts_string(context->facts, "environment", VARIABLE);
    if (value == NULL || !string_starts(value, form->prefix)) {
        rule_skip(context, VARIABLE " does not begin with %s", form->prefix);
        return;
    }
    if (!rule_require_frameworks(context, &frameworks))
        return;
    for (size_t i = 0; i < frameworks.count; i++)
        if (is_affected(context, &frameworks.items[i], form->until))
            unparsed_found(context, &frameworks.items[i], form);
}

void judge_cuda_visible_devices_uuid_unparsed(struct rule_context *context)
{
    static const struct form form = {
        .prefix = "GPU-", .what = "GPU UUIDs", .until = "torch-reads-gpu-uuid"};
    judge_form(context, &form);
}

void judge_mig_uuid_parse_zero_devices(struct rule_context *context)
{
    static const struct form form = {
        .prefix = "MIG-", .what = "UUIDs of MIG devices", .until = "torch-reads-mig-uuid"};
    judge_form(context, &form);
}
