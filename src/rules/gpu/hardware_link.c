/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/shell.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/threshold.h"
#include "rules/gpu/hardware_link.h"
#include "rules/gpu/judges.h"
#include "rules/query/gpu_nvml.h"
#include "rules/query/hardware.h"

/* pcie_link_degraded. An idle GPU slows its link down, and never gives lanes away. */

/* "2.5 GT/s PCIe" is 25; 0: not known. */
static long speed_of(const char *text)
{
    char *end;
    double speed = text ? strtod(text, &end) : 0;
    return text && string_starts(end, " GT/s") && speed < 1000 ? (long)(speed * 10 + 0.5) : 0;
}

static bool find_busy(struct rule_context *context, const char *address)
{
    const struct facts *facts = context->facts;
    int64_t percent = 0, busy = threshold_percent(context, "gpu-busy");
    const char *nvml = hardware_listed(facts, "nvml", address);
    const struct strlist *reasons = nvml ? facts_list(facts, nvml, "clock_event_reasons") : NULL;
    return nvml && busy && facts_integer(facts, nvml, "utilization_percent", &percent) &&
           percent >= busy && !(reasons && strlist_has(reasons, "idle"));
}

/* What both the card and the slot can do, as the record has it; NULL: one of them is not known. */
static const char *best_speed(const struct facts *facts, const char *pci)
{
    const char *card = facts_string(facts, pci, "link_speed_max");
    const char *slot = facts_string(facts, pci, "bridge_link_speed_max");
    if (speed_of(card) == 0 || speed_of(slot) == 0)
        return NULL;
    return speed_of(card) < speed_of(slot) ? card : slot;
}

bool hardware_find_resting_link(struct rule_context *context, const char *pci,
                                const char **ret_best)
{
    const struct facts *facts = context->facts;
    const char *address = hardware_address(pci);
    const char *nvml = hardware_listed(facts, "nvml", address);
    const struct strlist *reasons = nvml ? facts_list(facts, nvml, "clock_event_reasons") : NULL;
    long speed = speed_of(facts_string(facts, pci, "link_speed"));
    int64_t percent;
    bool told = (reasons && strlist_has(reasons, "idle")) ||
                (nvml && facts_integer(facts, nvml, "utilization_percent", &percent));
    *ret_best = best_speed(facts, pci);
    return *ret_best && speed > 0 && speed < speed_of(*ret_best) && told &&
           !find_busy(context, address);
}

/* NVML, which knows the board, says that the link cannot be faster: it is built that way, as where
 * the GPU sits beside the processor (GB10). */
static bool is_at_its_best(const struct facts *facts, const char *address)
{
    int64_t now, most;
    const char *nvml = hardware_listed(facts, "nvml", address);
    return nvml && facts_integer(facts, nvml, "pcie_generation", &now) &&
           facts_integer(facts, nvml, "pcie_generation_max", &most) && now == most && now == 1;
}

static bool best_width(const struct facts *facts, const char *pci, int64_t *ret_width)
{
    int64_t card, slot;
    if (!facts_integer(facts, pci, "link_width_max", &card) ||
        !facts_integer(facts, pci, "bridge_link_width_max", &slot))
        return false;
    *ret_width = card < slot ? card : slot;
    return true;
}

static void link_fixes(const struct rule_context *context, struct finding *finding,
                       const char *address)
{
    if (nvml_fix_on_host(context, finding))
        return;
    finding_fix_note(
        finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
        "switch the machine off and reseat the card, and any riser or cable; the board's manual "
        "says whether the slot shares its lanes, and the firmware setup shows the slot's speed");
    AUTO_FREE char *quoted = shell_quote(address);
    finding_fix_command(finding, FIX_LOOK | NEEDS_ROOT,
                        "shows the speed and width that each end of the link supports and uses now",
                        "sudo lspci -vv -s %s | grep -e LnkCap: -e LnkSta:", quoted);
}

char *hardware_speed(const char *speed)
{
    static const char tail[] = " PCIe";
    size_t size = speed ? strlen(speed) : 0, rest = size > strlen(tail) ? size - strlen(tail) : 0;
    return mem_string_n(speed, rest && string_equal(speed + rest, tail) ? rest : size);
}

/* slow and narrow: what is below the best; NULL and 0: in order. */
static void link_found(struct rule_context *context, const char *pci, const char *slow,
                       int64_t narrow)
{
    const struct facts *facts = context->facts;
    const char *address = hardware_address(pci);
    int64_t width = 0;
    facts_integer(facts, pci, "link_width", &width);
    AUTO_FREE char *label = hardware_label(facts, address);
    AUTO_FREE char *now = hardware_speed(facts_string(facts, pci, "link_speed"));
    AUTO_FREE char *best = hardware_speed(slow ? slow : "");
    AUTO_FREE char *speed = slow ? mem_printf("%s instead of %s", now, best) : mem_string("");
    AUTO_FREE char *lanes =
        narrow ? mem_printf("%lld lanes instead of %lld", (long long)width, (long long)narrow)
               : mem_string("");
    struct finding *finding = rule_found(context, nvml_severity_of_warning(context),
                                         "the PCI Express link of %s runs at %s%s%s", label, speed,
                                         *speed && *lanes ? " and " : "", lanes);
    finding_subject(finding, address);
    finding_why(finding,
                "both the card and the bridge above the card support more (sysfs)%s; every copy to "
                "and from the GPU goes over this link",
                slow ? ", and the GPU is busy"
                     : ", and the lane count does not drop when the GPU is idle");
    static const char *const names[] = {
        "link_speed", "link_speed_max",        "link_width",      "link_width_max",
        "bridge",     "bridge_link_speed_max", "aer_correctable", "bridge_link_width_max"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        finding_evidence(finding, facts, pci, names[i]);
    const char *nvml = hardware_listed(facts, "nvml", address);
    finding_evidence(finding, facts, nvml, "utilization_percent");
    if (slow)
        finding_manifest(finding, "threshold/gpu-busy");
    link_fixes(context, finding, address);
}

/* True when both ends of the link are known. */
static bool link_judge(struct rule_context *context, const char *pci)
{
    const struct facts *facts = context->facts;
    const char *address = hardware_address(pci);
    const char *best = best_speed(facts, pci);
    long speed = speed_of(facts_string(facts, pci, "link_speed"));
    int64_t width = 0, most = 0;
    bool widths = best_width(facts, pci, &most) && facts_integer(facts, pci, "link_width", &width);
    bool slow = best && speed > 0 && speed < speed_of(best) && find_busy(context, address) &&
                !is_at_its_best(facts, address);
    bool narrow = widths && width > 0 && width < most;
    if (slow || narrow)
        link_found(context, pci, slow ? best : NULL, narrow ? most : 0);
    return widths || (best && speed > 0);
}

void judge_pcie_link_degraded(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    size_t known = 0;
    if (!rule_require_gpu_on_bus(context))
        return;
    for (size_t i = 0; (group = facts_next(facts, "pci", &i)) != NULL;)
        if (judged_pci_is_gpu(facts, group) && !hardware_sleeps(facts, group) &&
            !string_equal(facts_string(facts, group, "revision"), "ff"))
            known += link_judge(context, group);
    if (known == 0)
        rule_skip(context,
                  "nothing here shows what the GPUs' links and the bridges above them support");
}
