/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/gpu/judges.h"
#include "rules/module/module.h"
#include "rules/query/gpu_nvml.h"
#include "rules/query/hardware.h"

/* pci_bar_unassigned: the firmware or the kernel found no address for a GPU's memory window. */

#define SMALLEST 4096 /* windows of I/O ports are smaller, and nothing needs them */

/* "1, 3": windows of memory that have a size and no address. free() it. */
static char *windows_without_address(const struct facts *facts, const char *pci)
{
    AUTO_STRLIST struct strlist found = {0};
    const struct strlist *bars = facts_list(facts, pci, "bars_unassigned");
    const struct strlist *sizes = facts_list(facts, pci, "bar_bytes");
    for (size_t i = 0; bars && sizes && i < bars->count; i++) {
        unsigned long long bar, size;
        if (string_to_unsigned(bars->items[i], &bar) && bar < sizes->count &&
            string_to_unsigned(sizes->items[bar], &size) && size >= SMALLEST)
            strlist_add(&found, bars->items[i]);
    }
    return strlist_join(&found, ", ");
}

/* What the log says of it. The kernel may try again with success, so that its own line counts
 * only where the driver has not got the GPU. */
static const char *log_of(const struct facts *facts, const char *pci)
{
    const char *address = hardware_address(pci);
    const char *invalid = hardware_event(facts, "bar_invalid", address);
    const char *kernel = hardware_event(facts, "bar_unassigned", address);
    const char *message = kernel ? facts_string(facts, kernel, "message") : NULL;
    if (module_drives(facts, pci))
        return NULL;
    if (invalid)
        return invalid;
    return message && strstr(message, "[io ") == NULL ? kernel : NULL;
}

static void bar_fixes(const struct rule_context *context, struct finding *finding)
{
    const char *virtualization = facts_string(context->facts, "machine", "virtualization");
    if (nvml_fix_on_host(context, finding))
        return;
    if (virtualization && !string_equal(virtualization, "none")) {
        finding_fix_note(finding, FIX_HOST | NEEDS_ROOT | THEN_REBOOT,
                         "on the host, give the virtual machine UEFI firmware and a larger window "
                         "of 64-bit memory for PCI, then start it again");
        return;
    }
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                     "in the firmware setup, turn on \"Above 4G Decoding\" (and boot with UEFI, "
                     "without CSM); a firmware update may be needed");
    finding_fix_note(
        finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
        "otherwise let the kernel reassign the addresses: add pci=realloc to the kernel's command "
        "line; for an external GPU, add pci=realloc,hpmmioprefsize=16G, or connect it before boot");
}

static void bar_found(struct rule_context *context, const char *pci, const char *bars,
                      const char *log)
{
    const struct facts *facts = context->facts;
    const char *address = hardware_address(pci);
    AUTO_FREE char *label = hardware_label(facts, address);
    const struct fact *fact = facts_get(facts, pci, "bars_unassigned");
    struct finding *finding =
        *bars ? rule_found(context, severity_for_use(context->purpose),
                           "%s has no address for its memory window (BAR %s): %s", label, bars,
                           fact->source)
              : rule_found(context, severity_for_use(context->purpose),
                           "%s has no address for a memory window (BAR): %s says so", label,
                           facts_get(facts, log, "event")->source);
    finding_subject(finding, address);
    finding_why(
        finding,
        "the driver reaches a GPU through windows in the machine's address space; the firmware or "
        "the bridge above left no room for this window, and the nvidia module refuses such a GPU");
    finding_evidence(finding, facts, pci, "bars_unassigned");
    finding_evidence(finding, facts, pci, "bar_bytes");
    finding_evidence(finding, facts, log, "message");
    finding_evidence(finding, facts, "machine", "product");
    bar_fixes(context, finding);
}

void judge_pci_bar_unassigned(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    if (!rule_require_gpu_switched_on(context))
        return;
    for (size_t i = 0; (group = facts_next(facts, "pci", &i)) != NULL;) {
        if (!judged_pci_is_gpu(facts, group) || facts_true(facts, group, "virtual_function") ||
            hardware_listed(facts, "nvml", hardware_address(group)))
            continue;
        AUTO_FREE char *bars = windows_without_address(facts, group);
        const struct fact *fact = facts_get(facts, group, "bars_unassigned");
        const char *log = log_of(facts, group);
        if (*bars || log)
            bar_found(context, group, bars, log);
        else if (fact && fact->state == FACT_UNKNOWN && !module_drives(facts, group))
            rule_require_fact(context, group, "bars_unassigned");
    }
}
