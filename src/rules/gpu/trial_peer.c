/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/error/error.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/gpu/judges.h"
#include "rules/gpu/trial.h"
#include "rules/query/gpu_nvml.h"

/* peer_copy_failed: copies from GPU to GPU (--try). */

/* "the copy from GPU 0 to GPU 1", of a group "peer_copy/0-1". free() it. */
static char *label_of(const char *group)
{
    const char *pair = nvml_index(group);
    const char *dash = strchr(pair, '-');
    return dash ? mem_printf("the copy from GPU %.*s to GPU %s", (int)(dash - pair), pair, dash + 1)
                : mem_printf("the copy %s", pair);
}

static struct finding *found_of(struct rule_context *context, const char *group, const char *label,
                                bool failed)
{
    enum severity severity = severity_for_use(context->purpose);
    struct trial_error error = trial_error(context, group);
    int64_t wrong = 0;
    facts_integer(context->facts, group, "wrong", &wrong);
    if (!failed)
        return rule_found(context, severity,
                          "%s arrives with wrong data, without an error: %lld wrong numbers", label,
                          (long long)wrong);
    struct finding *finding =
        rule_found(context, severity, "%s fails: %s returns error %lld%s%s%s", label, error.call,
                   (long long)error.number, error.name ? " (" : "", error.name ? error.name : "",
                   error.name ? ")" : "");
    finding_manifest(finding, error.row ? error.row->id : NULL);
    return finding;
}

static void add_reason(const struct rule_context *context, struct finding *finding,
                       const char *group, const char *likely)
{
    const struct facts *facts = context->facts;
    const char *first = facts_string(facts, group, "first_wrong");
    bool direct = true;
    bool known = facts_boolean(facts, group, "direct", &direct);
    finding_why(finding, "%s%s%s%sboth GPUs compute correctly; %s", first ? first : "",
                first ? "; " : "", likely ? likely : "", likely ? " is likely its cause; " : "",
                direct ? "the path between the GPUs is at fault: the IOMMU or ACS on PCI Express, "
                         "an NVLink, or (in a virtual machine) the host"
                       : "the copy goes through the machine's memory: that memory, or the PCI "
                         "Express link of one of the GPUs, is at fault");
    if (known)
        finding_evidence(finding, facts, group, "direct");
}

static void add_fixes(const struct rule_context *context, struct finding *finding,
                      const char *group)
{
    bool direct = true;
    facts_boolean(context->facts, group, "direct", &direct);
    finding_fix_command(finding, FIX_LOOK,
                        "shows how the GPUs are connected (NV: NVLink) and whether peer access is "
                        "allowed",
                        "nvidia-smi topo -m; nvidia-smi topo -p2p r");
    if (direct && !nvml_fix_on_host(context, finding))
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                         "over PCI Express: add iommu=pt to the kernel's command line and switch "
                         "ACS off in the firmware's setup; over NVLink: reset the GPUs");
    if (direct)
        finding_fix_command(finding, FIX_SHELL | FOR_NOW,
                            "for now: makes NCCL avoid the direct path between GPUs",
                            "export NCCL_P2P_DISABLE=1");
}

static void copy_found(struct rule_context *context, const char *group, const char *label,
                       bool failed)
{
    static const char *const causes[] = {"gpu_fell_off_bus", "fabric_not_completed",
                                         "p2p_iommu_acs", "nvlink_inactive", NULL};
    const char *likely = NULL;
    struct finding *finding = found_of(context, group, label, failed);
    finding_subject(finding, label);
    trial_evidence(context, finding, group);
    struct trial_error error = trial_error(context, group);
    bool follows = trial_follows_any(context, finding, error.row, causes, &likely);
    add_reason(context, finding, group, likely);
    if (!follows)
        add_fixes(context, finding, group);
}

void judge_peer_copy_failed(struct rule_context *context)
{
    int64_t count = 0;
    const char *group;
    if (!rule_require_trial(context, "peer_copy"))
        return;
    facts_integer(context->facts, "peer_copy", "count", &count);
    if (count == 0)
        rule_skip(context, "fewer than two GPUs computed correctly");
    for (size_t i = 0; (group = facts_next(context->facts, "peer_copy", &i)) != NULL;) {
        AUTO_FREE char *label = label_of(group);
        const char *outcome = trial_outcome(context, group, label);
        if (outcome && !string_equal(outcome, "right"))
            copy_found(context, group, label, string_equal(outcome, "failed"));
    }
}
