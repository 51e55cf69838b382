/* SPDX-License-Identifier: MIT */

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/false_alarm/judges.h"
#include "rules/gpu/hardware_link.h"
#include "rules/gpu/hardware_nvlink.h"
#include "rules/query/gpu_nvml.h"
#include "rules/query/hardware.h"

/* false_alarm_not_a_fault, mig_single_instance_visible. */

#define SERVICE "service/fabricmanager"

/* The GPUs that one thing is said of. */
struct group {
    const char *first; /* the pci or nvml group of the first of them */
    const char *best;  /* of its link */
    size_t count;
};

static void add(struct group *group, const char *name, const char *best)
{
    group->count++;
    if (group->first)
        return;
    group->first = name;
    group->best = best;
}

/* "GPU 0 (NVIDIA L40S) at 0000:18:00.0", or of several how many they are. free() it. */
static char *group_words(const struct facts *facts, const struct group *group, const char *address)
{
    return group->count > 1 ? mem_printf("%zu GPUs", group->count) : hardware_label(facts, address);
}

static void tell_idle_links(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct group idle = {.count = 0};
    const char *pci, *best;
    for (size_t i = 0; (pci = facts_next(facts, "pci", &i)) != NULL;)
        if (judged_pci_is_gpu(facts, pci) && hardware_find_resting_link(context, pci, &best))
            add(&idle, pci, best);
    if (idle.count == 0)
        return;
    const char *address = hardware_address(idle.first);
    const char *nvml = hardware_listed(facts, "nvml", address);
    AUTO_FREE char *words = group_words(facts, &idle, address);
    AUTO_FREE char *now = hardware_speed(facts_string(facts, idle.first, "link_speed"));
    AUTO_FREE char *most = hardware_speed(idle.best);
    struct finding *finding =
        rule_found(context, SEVERITY_INFO,
                   "the PCI Express link%s of %s %s at %s now and can reach %s: healthy, nothing "
                   "is running there",
                   idle.count > 1 ? "s" : "", words, idle.count > 1 ? "are" : "is", now, most);
    finding_subject(finding, address);
    finding_why(finding, "an idle GPU slows its link down to save power, and speeds it up when a "
                         "program uses the GPU");
    finding_evidence(finding, facts, idle.first, "link_speed");
    finding_evidence(finding, facts, idle.first, "link_speed_max");
    finding_evidence(finding, facts, nvml, "utilization_percent");
    finding_evidence(finding, facts, nvml, "clock_event_reasons");
    finding_manifest(finding, "threshold/gpu-busy");
}

static void tell_unjoined_cards(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct group alone = {.count = 0};
    const char *nvml;
    for (size_t i = 0; (nvml = facts_next(facts, "nvml", &i)) != NULL;)
        if (hardware_is_unjoined(facts, nvml))
            add(&alone, nvml, NULL);
    if (alone.count == 0)
        return;
    const char *address = facts_string(facts, alone.first, "bus_id");
    AUTO_FREE char *label = nvml_label(facts, alone.first);
    AUTO_FREE char *several = mem_printf("%zu GPUs", alone.count);
    struct finding *finding = rule_found(
        context, SEVERITY_INFO, "all NVLinks of %s are down: healthy, no bridge connects the cards",
        alone.count > 1 ? several : label);
    finding_subject(finding, address);
    finding_why(finding,
                "the NVLinks of PCI Express cards are connected only by a bridge on top of two "
                "cards; without a bridge, the cards reach each other over PCI Express");
    finding_evidence(finding, facts, alone.first, "nvlinks_active");
    finding_evidence(finding, facts, alone.first, "nvlinks_inactive");
    finding_evidence(finding, facts, "pci", "nvswitch_count");
}

/* True when a GPU takes part in a fabric that something else than an NVSwitch here brings up. */
static bool has_fabric(const struct facts *facts)
{
    const char *nvml;
    for (size_t i = 0; (nvml = facts_next(facts, "nvml", &i)) != NULL;) {
        const char *state = facts_string(facts, nvml, "fabric_state");
        if (state && !string_equal(state, "not-supported"))
            return true;
    }
    return false;
}

static void tell_fabric_manager(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const struct strlist *errors = facts_list(facts, "fabric_manager", "log_errors");
    int64_t switches;
    bool runs = facts_true(facts, SERVICE, "running");
    if (!facts_integer(facts, "pci", "nvswitch_count", &switches) || switches > 0 ||
        !facts_true(facts, SERVICE, "present") || has_fabric(facts) ||
        (!runs && !facts_true(facts, SERVICE, "enabled") && (errors == NULL || !errors->count)))
        return;
    struct finding *finding = rule_found(
        context, SEVERITY_INFO,
        "Fabric Manager is installed and %s: healthy, since this machine has no NVSwitch",
        runs ? "runs" : "does not run");
    finding_subject(finding, "nvidia-fabricmanager");
    finding_why(finding,
                "Fabric Manager serves machines whose GPUs are connected by NVSwitches; on other "
                "machines, Fabric Manager stops with an error, and CUDA works without it");
    finding_evidence(finding, facts, "pci", "nvswitch_count");
    finding_evidence(finding, facts, SERVICE, "running");
    finding_evidence(finding, facts, SERVICE, "enabled");
    finding_evidence(finding, facts, "fabric_manager", "log_errors");
    if (nvml_fix_on_host(context, finding))
        return;
    finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT, "stops the error message at every boot",
                        "sudo systemctl disable --now nvidia-fabricmanager");
}

void judge_false_alarm_not_a_fault(struct rule_context *context)
{
    if (!rule_require_gpu_on_bus(context))
        return;
    tell_idle_links(context);
    tell_unjoined_cards(context);
    tell_fabric_manager(context);
}

/* How many GPUs CUDA lists; false: it was not asked. */
static bool cuda_count(const struct facts *facts, int64_t *ret_count)
{
    return facts_integer(facts, "cuda", "count", ret_count);
}

static void single_found(struct rule_context *context, int64_t instances, const char *nvml)
{
    const struct facts *facts = context->facts;
    struct finding *finding = rule_found(context, SEVERITY_INFO,
                                         "there are %lld MIG instances, and CUDA lists one of "
                                         "them: healthy, a process gets only one instance",
                                         (long long)instances);
    finding_subject(finding, facts_string(facts, nvml, "bus_id"));
    finding_why(finding,
                "CUDA gives a process one MIG instance, even if CUDA_VISIBLE_DEVICES names more; "
                "to use several instances, start one process for each instance");
    finding_evidence(finding, facts, nvml, "mig");
    finding_evidence(finding, facts, nvml, "mig_instances");
    finding_evidence(finding, facts, "cuda", "count");
    finding_evidence(finding, facts, "environment", "CUDA_VISIBLE_DEVICES");
    finding_fix_command(
        finding, FIX_LOOK,
        "lists the MIG instances; start each process with its own CUDA_VISIBLE_DEVICES=MIG-…",
        "nvidia-smi -L");
    finding_fix_note(
        finding, FIX_ADVICE | NEEDS_ROOT,
        "to give one program the whole GPU, turn MIG mode off: nvidia-smi -i N -mig 0");
}

void judge_mig_single_instance_visible(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *nvml, *first = NULL;
    int64_t all = 0, listed = 0;
    if (!rule_require_nvml_gpus(context))
        return;
    for (size_t i = 0; (nvml = facts_next(facts, "nvml", &i)) != NULL;) {
        int64_t instances = 0;
        if (!facts_true(facts, nvml, "mig") ||
            !rule_require_nvml_fact(context, nvml, "mig_instances") ||
            !facts_integer(facts, nvml, "mig_instances", &instances) || instances < 1)
            continue;
        all += instances;
        first = first ? first : nvml;
    }
    if (all < 2)
        rule_skip(context, "there are fewer than two MIG instances");
    else if (!cuda_count(facts, &listed))
        rule_skip(context, "CUDA was not asked how many MIG instances it lists");
    else if (listed == 1)
        single_found(context, all, first);
}
