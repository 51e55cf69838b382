/* SPDX-License-Identifier: MIT */
#include "rules/gpu/peers.h"

#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/gpu/judges.h"
#include "rules/query/gpu_nvml.h"
#include "rules/query/hardware.h"
#include "rules/query/vm_guest.h"

/* peer_access_missing, pcie_widths_differ, pcie_slot_narrow: how GPUs are joined to the machine and
 * to each other. */

static const char *ordinal(const char *cuda)
{
    return nvml_index(cuda);
}

static bool reaches(const struct facts *facts, const char *from, const char *to)
{
    const struct strlist *peers = facts_list(facts, from, "peers");
    return peers == NULL || strlist_has(peers, ordinal(to));
}

/* NVLinks that are up join them: there is a switch, or there are no more than these two. */
static bool are_joined(const struct facts *facts, const char *one, const char *other)
{
    const char *const both[] = {one, other};
    int64_t switches = 0, gpus = 0;
    facts_integer(facts, "pci", "nvswitch_count", &switches);
    facts_integer(facts, "nvml", "count", &gpus);
    for (size_t i = 0; i < 2; i++) {
        int64_t up = 0;
        const char *address = facts_string(facts, both[i], "bus_id");
        const char *nvml = address ? hardware_listed(facts, "nvml", address) : NULL;
        if (nvml == NULL || facts_true(facts, nvml, "mig") ||
            !facts_integer(facts, nvml, "nvlinks_active", &up) || up == 0)
            return false;
    }
    return switches > 0 || gpus == 2;
}

struct gap {
    const char *from, *to; /* cuda groups */
    bool joined;
    size_t pairs, asked;
};

static struct gap find_gap(const struct facts *facts)
{
    struct gap gap = {.pairs = 0};
    const char *one, *other;
    for (size_t i = 0; (one = facts_next(facts, "cuda", &i)) != NULL;) {
        if (facts_list(facts, one, "peers") == NULL)
            continue;
        for (size_t k = i; (other = facts_next(facts, "cuda", &k)) != NULL;) {
            bool joined = are_joined(facts, one, other);
            gap.asked++;
            if (reaches(facts, one, other) && reaches(facts, other, one))
                continue;
            gap.pairs++;
            if (gap.from == NULL || (joined && !gap.joined)) {
                gap.from = one;
                gap.to = other;
            }
            gap.joined = gap.joined || joined;
        }
    }
    return gap;
}

static void gap_found(struct rule_context *context, const struct gap *gap)
{
    const struct facts *facts = context->facts;
    enum severity severity = gap->joined ? nvml_severity_of_warning(context) : SEVERITY_INFO;
    AUTO_FREE char *pairs = gap->asked == 1
                                ? mem_string("")
                                : mem_printf(" (%zu of %zu pairs)", gap->pairs, gap->asked);
    struct finding *finding =
        rule_found(context, severity, "CUDA's GPU %s cannot reach the memory of GPU %s%s%s",
                   ordinal(gap->from), ordinal(gap->to),
                   gap->joined ? ", although active NVLinks connect these GPUs" : "", pairs);
    finding_subject(finding, facts_string(facts, gap->from, "bus_id"));
    finding_why(finding, "%s",
                gap->joined
                    ? "GPUs connected by NVLinks reach each other directly; without direct access, "
                      "every copy between them goes through the machine's memory"
                    : "copies between these GPUs go through the machine's memory, which is slower: "
                      "healthy for GeForce cards and for GPUs attached to different CPUs");
    finding_evidence(finding, facts, gap->from, "peers");
    finding_evidence(finding, facts, gap->to, "peers");
    const char *nvml = hardware_listed(facts, "nvml", facts_string(facts, gap->from, "bus_id"));
    finding_evidence(finding, facts, nvml, "nvlinks_active");
    finding_fix_command(finding, FIX_LOOK,
                        "shows what connects each pair of GPUs, and what prevents access (CNS: the "
                        "board, GNS: the GPU, DR: a setting)",
                        "nvidia-smi topo -m; nvidia-smi topo -p2p r");
    if (gap->joined && !nvml_fix_on_host(context, finding))
        finding_fix_note(
            finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
            "look for settings that forbid direct access (the nvidia module's registry keys, a "
            "virtual machine's configuration), then reset the GPUs or reboot");
}

void judge_peer_access_missing(struct rule_context *context)
{
    struct gap gap = find_gap(context->facts);
    if (judged_place(context->facts) == PLACE_WSL)
        rule_skip(context, "WSL decides which GPUs can reach each other");
    else if (gap.asked == 0)
        rule_skip(context, "CUDA has not reported whether any two GPUs reach each other");
    else if (gap.pairs > 0)
        gap_found(context, &gap);
}

/* Lanes of the GPU's link, when that is what its slot has and is so on purpose; 0: not known, or
 * pcie_link_degraded. */
static int64_t lanes_by_slot(const struct facts *facts, const char *pci)
{
    int64_t width, card, slot;
    if (!judged_pci_is_gpu(facts, pci) || hardware_sleeps(facts, pci) ||
        !facts_integer(facts, pci, "link_width", &width) ||
        !facts_integer(facts, pci, "link_width_max", &card) ||
        !facts_integer(facts, pci, "bridge_link_width_max", &slot))
        return 0;
    return width == (card < slot ? card : slot) ? width : 0;
}

struct lanes {
    const char *most, *least; /* pci groups */
    int64_t most_lanes, least_lanes;
};

/* Among GPUs of one model: the widest and the narrowest link. */
static bool compare_lanes(const struct facts *facts, const char *device, struct lanes *lanes)
{
    const char *pci;
    *lanes = (struct lanes){.most = NULL};
    for (size_t i = 0; (pci = facts_next(facts, "pci", &i)) != NULL;) {
        int64_t width = lanes_by_slot(facts, pci);
        if (width == 0 || !string_equal(facts_string(facts, pci, "device_id"), device))
            continue;
        if (lanes->most == NULL || width > lanes->most_lanes) {
            lanes->most = pci;
            lanes->most_lanes = width;
        }
        if (lanes->least == NULL || width < lanes->least_lanes) {
            lanes->least = pci;
            lanes->least_lanes = width;
        }
    }
    return lanes->most && lanes->most_lanes > lanes->least_lanes;
}

static void lanes_found(struct rule_context *context, const struct lanes *lanes)
{
    const struct facts *facts = context->facts;
    const char *address = hardware_address(lanes->least);
    AUTO_FREE char *least = hardware_label(facts, address);
    AUTO_FREE char *most = hardware_label(facts, hardware_address(lanes->most));
    struct finding *finding =
        rule_found(context, SEVERITY_INFO,
                   "%s uses %lld PCI Express lanes, but %s, which is the same model, uses %lld",
                   least, (long long)lanes->least_lanes, most, (long long)lanes->most_lanes);
    finding_subject(finding, address);
    finding_why(finding, "each link is as wide as its slot: nothing is broken, but evenly divided "
                         "work waits for the GPU in the narrow slot");
    finding_evidence(finding, facts, lanes->least, "link_width");
    finding_evidence(finding, facts, lanes->least, "bridge_link_width_max");
    finding_evidence(finding, facts, lanes->most, "link_width");
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                     "look in the board's manual for a slot with %lld lanes, and for slots and "
                     "drives that share their lanes",
                     (long long)lanes->most_lanes);
}

void judge_pcie_widths_differ(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct lanes lanes;
    const char *pci;
    if (!rule_require_gpu_on_bus(context))
        return;
    if (vm_guest_is(facts)) {
        rule_skip(context, "a virtual machine does not show the slots");
        return;
    }
    for (size_t i = 0; (pci = facts_next(facts, "pci", &i)) != NULL;) {
        const char *device = facts_string(facts, pci, "device_id");
        if (device == NULL || !compare_lanes(facts, device, &lanes))
            continue;
        lanes_found(context, &lanes);
        return;
    }
}

/* A card with a quarter of its lanes or fewer: that is felt wherever data is copied. Half of them
 * is usual, and so is any width where the GPU is soldered on. */
static bool is_narrow(const struct facts *facts, const char *pci)
{
    int64_t card = 0, width = lanes_by_slot(facts, pci);
    const char *nvml = hardware_listed(facts, "nvml", hardware_address(pci));
    const char *name = nvml ? facts_string(facts, nvml, "name") : NULL;
    return width > 0 && facts_integer(facts, pci, "link_width_max", &card) && width * 4 <= card &&
           name && !strstr(name, "Laptop") && !strstr(name, "Max-Q") && !strstr(name, " MX");
}

static void narrow_found(struct rule_context *context, const char *first, size_t count)
{
    const struct facts *facts = context->facts;
    int64_t width = 0, card = 0;
    facts_integer(facts, first, "link_width", &width);
    facts_integer(facts, first, "link_width_max", &card);
    const char *address = hardware_address(first);
    AUTO_FREE char *label = hardware_label(facts, address);
    AUTO_FREE char *others =
        count == 1 ? mem_string("") : mem_printf(" (one of %zu such GPUs)", count);
    struct finding *finding =
        rule_found(context, SEVERITY_INFO,
                   "%s%s has %lld PCI Express lanes, as its slot does; the card supports %lld",
                   label, others, (long long)width, (long long)card);
    finding_subject(finding, address);
    finding_why(finding,
                "nothing is broken, but copies to and from the GPU take up to %lld times "
                "as long as in a slot with all lanes",
                (long long)(card / width));
    static const char *const names[] = {"link_width", "link_width_max", "bridge",
                                        "bridge_link_width", "bridge_link_width_max"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        finding_evidence(finding, facts, first, names[i]);
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                     "look in the board's manual for a slot with %lld lanes, for slots and drives "
                     "that share their lanes, and for risers that have fewer",
                     (long long)card);
}

void judge_pcie_slot_narrow(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *pci, *first = NULL;
    size_t count = 0;
    if (!rule_require_gpu_on_bus(context))
        return;
    if (vm_guest_is(facts)) {
        rule_skip(context, "a virtual machine does not show the slots");
        return;
    }
    if (rule_has_found(context, "pcie_widths_differ")) {
        rule_skip(context, "pcie_widths_differ names the narrow slot");
        return;
    }
    for (size_t i = 0; (pci = facts_next(facts, "pci", &i)) != NULL;) {
        if (!is_narrow(facts, pci))
            continue;
        first = first ? first : pci;
        count++;
    }
    if (first)
        narrow_found(context, first, count);
}
