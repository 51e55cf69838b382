/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/gpu/gpu.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/gpu/hardware_nvlink.h"
#include "rules/gpu/judges.h"
#include "rules/query/gpu_nvml.h"
#include "rules/query/hardware.h"

/* nvlink_inactive. Cards without a bridge between them have all links down, and are in order. */

static const int64_t xid_nvlink[] = {74, 0};
/* NVIDIA, "XID Errors": the parts of a link's hardware; their lines say Fatal or Nonfatal. */
static const int64_t xid_nvlink_parts[] = {144, 145, 146, 147, 148, 149, 150, 0};

struct links {
    int64_t up, down;
    bool told;
};

static struct links links_of(const struct facts *facts, const char *nvml)
{
    struct links links = {0};
    bool up = facts_integer(facts, nvml, "nvlinks_active", &links.up);
    bool down = facts_integer(facts, nvml, "nvlinks_inactive", &links.down);
    links.told = up && down;
    return links;
}

/* True when a GPU all of whose links are down ought to have some: NVSwitches join every GPU, and
 * of two GPUs the other one's links can lead nowhere else. */
static bool sibling_is_joined(const struct facts *facts, const char *besides)
{
    const char *group;
    size_t gpus = 0;
    bool any = false;
    int64_t switches = 0;
    facts_integer(facts, "pci", "nvswitch_count", &switches);
    for (size_t i = 0; (group = facts_next(facts, "nvml", &i)) != NULL;) {
        gpus++;
        any = any || (!string_equal(group, besides) && links_of(facts, group).up > 0);
    }
    return any && (switches > 0 || gpus == 2);
}

bool hardware_is_unjoined(const struct facts *facts, const char *nvml)
{
    struct links links = links_of(facts, nvml);
    int64_t switches = 0;
    facts_integer(facts, "pci", "nvswitch_count", &switches);
    return links.told && links.up == 0 && links.down > 0 && switches == 0 &&
           !sibling_is_joined(facts, nvml);
}

/* Fewer are up than the model has, as on others of it: its bridges join no more. */
static bool is_by_design(const struct rule_context *context, const char *address,
                         const struct links *links)
{
    AUTO_FREE char *pci = mem_printf("pci/%s", address ? address : "");
    const char *id = facts_string(context->facts, pci, "device_id");
    const struct manifest_gpu *model = id ? manifest_gpu_by_device(context->manifest, id) : NULL;
    return model && model->nvlinks > 0 && links->up >= model->nvlinks;
}

/* This boot's log of an error that a link did not recover from; NULL: none. */
static const char *link_error(const struct facts *facts, const char *address)
{
    const char *log = address ? hardware_xid(facts, address, xid_nvlink_parts) : NULL;
    const char *message = log ? facts_string(facts, log, "message") : NULL;
    if (message && strstr(message, " Fatal "))
        return log;
    return address ? hardware_xid(facts, address, xid_nvlink) : NULL;
}

static void nvlink_fixes(const struct rule_context *context, struct finding *finding,
                         const char *nvml)
{
    int64_t switches = 0;
    facts_integer(context->facts, "pci", "nvswitch_count", &switches);
    if (nvml_fix_on_host(context, finding))
        return;
    AUTO_FREE char *number = nvml_argument(nvml);
    finding_fix_command(finding, FIX_LOOK, "shows which links are down",
                        "nvidia-smi nvlink -s -i %s", number);
    if (switches == 0)
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                         "switch the machine off and reseat the bridge between the cards");
    else
        nvml_fix_by_reset(context, finding, nvml);
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                     "if the links stay down, the bridge or the board needs service");
}

static void nvlink_found(struct rule_context *context, const char *nvml, const char *address,
                         const struct links *links, const char *log)
{
    const struct facts *facts = context->facts;
    AUTO_FREE char *label = nvml_label(facts, nvml);
    struct finding *finding;
    bool down = links->told && links->down > 0;
    if (down)
        finding = rule_found(context, nvml_severity_of_warning(context),
                             "%lld of the %lld NVLinks of %s %s down (NVML)",
                             (long long)links->down, (long long)links->up + (long long)links->down,
                             label, links->down == 1 ? "is" : "are");
    else
        finding = rule_found(context, nvml_severity_of_warning(context),
                             "an NVLink of %s had an error: %s", label,
                             facts_string(facts, log, "message"));
    finding_subject(finding, address);
    finding_why(finding, "%s",
                down ? "other NVLinks of this GPU or of a neighbouring GPU are up, so NVLink is in "
                       "use here; the links that are down reduce the bandwidth between the GPUs"
                     : "programs that used the link have ended or hang; NVLink may stay unusable "
                       "between these GPUs until a reset, even if the link is up again");
    finding_evidence(finding, facts, nvml, "nvlinks_active");
    finding_evidence(finding, facts, nvml, "nvlinks_inactive");
    finding_evidence(finding, facts, log, "message");
    nvlink_fixes(context, finding, nvml);
}

void judge_nvlink_inactive(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    size_t joined = 0;
    if (!rule_require_nvml_gpus(context))
        return;
    for (size_t i = 0; (group = facts_next(facts, "nvml", &i)) != NULL;) {
        struct links links = links_of(facts, group);
        const char *address = facts_string(facts, group, "bus_id");
        const char *log = link_error(facts, address);
        bool expected = is_by_design(context, address, &links);
        bool lacks = !rule_require_nvml_fact(context, group, "nvlinks_inactive");
        joined += lacks || links.up + links.down > 0;
        if ((links.told && links.down > 0 && !expected &&
             (links.up > 0 || sibling_is_joined(facts, group))) ||
            (log && facts_string(facts, log, "message")))
            nvlink_found(context, group, address, &links, log);
    }
    if (joined == 0)
        rule_skip(context, "no GPU here has NVLinks");
}
