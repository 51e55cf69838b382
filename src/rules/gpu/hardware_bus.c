/* SPDX-License-Identifier: MIT */
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/gpu/hardware_bus.h"
#include "rules/gpu/judges.h"
#include "rules/module/module.h"
#include "rules/query/gpu_nvml.h"
#include "rules/query/hardware.h"
#include "rules/query/vendor_refusal.h"

/* dgpu_powered_off, gpu_fell_off_bus: a GPU that is there and does not answer. */

static const int64_t xid_fallen[] = {79, 0};

#define GPU_IS_LOST 15 /* NVML_ERROR_GPU_IS_LOST of nvml.h */

/* The fact that says a laptop's GPU is off on purpose; false: none does. */
static bool find_switch(const struct facts *facts, const char **ret_name, const char **ret_tool)
{
    static const struct {
        const char *name, *value, *tool;
    } switches[] = {
        {"bbswitch", "OFF", "bbswitch"},
        {"prime", "off", "prime-select"},
        {"prime", "intel", "prime-select"},
        {"supergfx", "Integrated", "supergfxd"},
    };
    for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
        *ret_name = switches[i].name;
        *ret_tool = switches[i].tool;
        if (string_equal(facts_string(facts, "hybrid", *ret_name), switches[i].value))
            return true;
    }
    return false;
}

static void add_power_fixes(const struct facts *facts, struct finding *finding)
{
    const char *prime = facts_string(facts, "hybrid", "prime");
    if (string_equal(prime, "off") || string_equal(prime, "intel"))
        finding_fix_command(
            finding, FIX_STEP | NEEDS_ROOT | THEN_REBOOT,
            "the display stays on the other GPU, and programs can use the NVIDIA GPU; then reboot",
            "sudo prime-select on-demand");
    if (string_equal(facts_string(facts, "hybrid", "supergfx"), "Integrated"))
        finding_fix_command(finding, FIX_SHELL | THEN_REBOOT, "then log out and in again",
                            "supergfxctl --mode Hybrid");
    if (string_equal(facts_string(facts, "hybrid", "bbswitch"), "OFF"))
        finding_fix_command(finding, FIX_STEP | NEEDS_ROOT,
                            "switches the GPU on until a program switches it off again",
                            "echo ON | sudo tee /proc/acpi/bbswitch && sudo modprobe nvidia");
}

/* Some take it off the bus as well. */
static bool bus_is_empty(const struct facts *facts)
{
    int64_t count;
    return facts_integer(facts, "pci", "count", &count) && count == 0;
}

const char *hardware_switched_off(const struct facts *facts)
{
    const char *name, *tool;
    bool off = judged_place(facts) == PLACE_MACHINE && !facts_true(facts, "module", "nvidia") &&
               find_switch(facts, &name, &tool);
    return off ? tool : NULL;
}

void judge_dgpu_powered_off(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *name, *tool;
    bool removed = bus_is_empty(facts) && hardware_switched_off(facts);
    if (!removed && !rule_require_gpu_on_bus(context))
        return;
    if (judged_place(facts) == PLACE_CONTAINER) {
        rule_skip(context, "the program that switches a GPU off runs on the host");
        return;
    }
    if (!find_switch(facts, &name, &tool) || facts_true(facts, "module", "nvidia") ||
        module_drives_any(facts) || !rule_require_fact(context, "module", "nvidia"))
        return;
    const char *value = facts_string(facts, "hybrid", name);
    const char *source = facts_get(facts, "hybrid", name)->source;
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "the NVIDIA GPU is switched off%s by %s: %s says %s",
                   removed ? " and removed from the PCI bus" : "", tool, source, value);
    finding_why(finding, "on a laptop with two GPUs, this saves power; while the GPU is off, the "
                         "nvidia module is kept from loading and the GPU does not answer");
    finding_evidence(finding, facts, "hybrid", "bbswitch");
    finding_evidence(finding, facts, "hybrid", "prime");
    finding_evidence(finding, facts, "hybrid", name);
    finding_evidence(finding, facts, "module", "nvidia");
    if (removed)
        finding_evidence(finding, facts, "pci", "count");
    add_power_fixes(facts, finding);
}

struct fall {
    const char *pci, *address;
    const char *xid;            /* log group, or NULL */
    const char *event;          /* the driver's or kernel's line without an Xid, or NULL */
    struct vendor_refusal lost; /* what NVML said of it */
    bool silent;                /* configuration space reads as all ones */
};

/* The kernel could not wake it. Where it is switched off on purpose, nothing has to. */
static const char *inaccessible_event(const struct facts *facts, const struct fall *fall)
{
    bool off = string_equal(facts_string(facts, fall->pci, "runtime_status"), "suspended") ||
               string_equal(facts_string(facts, "hybrid", "bbswitch"), "OFF");
    return off ? NULL : hardware_event(facts, "gpu_inaccessible", fall->address);
}

/* The nvml group of the GPU at that address. NVML does not tell the address of a GPU whose handle
 * it refuses: it is this one's where as many GPUs on the bus are not listed as were refused. */
static const char *nvml_group_of(const struct facts *facts, const char *address)
{
    const char *listed = hardware_listed(facts, "nvml", address);
    const char *group, *refused = NULL;
    size_t nameless = 0, unlisted = 0;
    for (size_t i = 0; (group = facts_next(facts, "nvml", &i)) != NULL;) {
        if (facts_string(facts, group, "bus_id"))
            continue;
        nameless++;
        refused = group;
    }
    for (size_t i = 0; (group = facts_next(facts, "pci", &i)) != NULL;)
        unlisted += judged_pci_is_gpu(facts, group) &&
                    !hardware_listed(facts, "nvml", hardware_address(group));
    return listed == NULL && nameless == unlisted ? refused : listed;
}

static struct fall fall_of(const struct rule_context *context, const char *pci)
{
    const struct facts *facts = context->facts;
    struct fall fall = {.pci = pci, .address = hardware_address(pci)};
    const char *nvml = nvml_group_of(facts, fall.address);
    if (nvml)
        fall.lost = vendor_refusal_of(facts, context->manifest, ERRORS_NVML, nvml);
    fall.xid = hardware_xid(facts, fall.address, xid_fallen);
    fall.event = hardware_event(facts, "fallen_off_bus", fall.address);
    fall.event = fall.event ? fall.event : inaccessible_event(facts, &fall);
    fall.silent =
        string_equal(facts_string(facts, pci, "revision"), "ff") && !hardware_sleeps(facts, pci);
    return fall;
}

/* After the fall the machine took it back: NVML measures it, and its configuration is read. */
static bool is_back(const struct facts *facts, const struct fall *fall)
{
    int64_t percent;
    const char *nvml = hardware_listed(facts, "nvml", fall->address);
    return !fall->silent && fall->lost.number != GPU_IS_LOST && nvml &&
           facts_integer(facts, nvml, "utilization_percent", &percent);
}

static void fall_fixes(const struct rule_context *context, struct finding *finding)
{
    if (nvml_fix_on_host(context, finding))
        return;
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                     "switch the machine off, cut its power for a minute and start it again; a "
                     "reboot alone may not bring the GPU back");
    finding_fix_note(
        finding, FIX_ADVICE | NEEDS_ROOT,
        "if this happens again: check the power cables, the power supply, any riser cable and the "
        "cooling, and that the card is seated; if that does not help, have the GPU replaced");
}

static const char *event_words(const struct facts *facts, const char *event)
{
    return string_equal(facts_string(facts, event, "event"), "gpu_inaccessible")
               ? "the kernel cannot wake the GPU up, according to "
               : "the driver says so in ";
}

static void fall_found(struct rule_context *context, const struct fall *fall)
{
    const struct facts *facts = context->facts;
    const char *log = fall->xid ? fall->xid : fall->event;
    bool back = is_back(facts, fall);
    AUTO_FREE char *label = hardware_label(facts, fall->address);
    const char *source = log ? facts_get(facts, log, "event")->source : NULL;
    enum severity severity =
        back ? nvml_severity_of_warning(context) : severity_for_use(context->purpose);
    struct finding *finding =
        rule_found(context, severity, "%s has fallen off the bus: %s%s%s%s", label,
                   fall->xid      ? "Xid 79 in "
                   : fall->event  ? event_words(facts, fall->event)
                   : fall->silent ? "the GPU's configuration space reads as all ones"
                                  : "NVML says that the GPU is lost",
                   log ? source : "", log && fall->silent ? "; the GPU does not answer" : "",
                   back ? ", at some point since boot; the GPU answers again now" : "");
    finding_subject(finding, fall->address);
    finding_why(finding, "the GPU no longer answers on PCI Express: a power failure, a bad "
                         "contact, heat, or a failing GPU; software cannot fix it");
    if (fall->lost.number == GPU_IS_LOST)
        finding_evidence(finding, facts, fall->lost.group, fall->lost.fact->name);
    finding_evidence(finding, facts, log, "message");
    finding_evidence(finding, facts, log, "last");
    finding_evidence(finding, facts, fall->pci, "revision");
    finding_evidence(finding, facts, fall->pci, "power_state");
    finding_evidence(finding, facts, "nvml", "count");
    fall_fixes(context, finding);
}

void judge_gpu_fell_off_bus(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    if (!rule_require_gpu_switched_on(context))
        return;
    for (size_t i = 0; (group = facts_next(facts, "pci", &i)) != NULL;) {
        if (!judged_pci_is_gpu(facts, group))
            continue;
        struct fall fall = fall_of(context, group);
        const struct fact *revision = facts_get(facts, group, "revision");
        if (fall.xid || fall.event || fall.silent || fall.lost.number == GPU_IS_LOST)
            fall_found(context, &fall);
        else if (revision && revision->state == FACT_UNKNOWN)
            rule_require_fact(context, group, "revision");
    }
}
