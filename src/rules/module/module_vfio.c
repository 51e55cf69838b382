/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/module/judges.h"
#include "rules/module/module.h"
#include "rules/remedy/remedy.h"

/* gpu_bound_to_vfio: the driver runs, and its GPUs are kept for virtual machines. Where the driver
 * does not run, that is module_not_loaded's to tell. */

/* The first GPU of the bus. */
static const char *first_gpu(const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "pci", &i)) != NULL;)
        if (judged_pci_is_gpu(facts, group))
            return group;
    return NULL;
}

static const char *boot_option(const struct facts *facts)
{
    const struct strlist *options = facts_list(facts, "boot", "options");
    for (size_t i = 0; options && i < options->count; i++)
        if (string_starts(options->items[i], "vfio-pci.ids=") ||
            string_starts(options->items[i], "vfio_pci.ids="))
            return options->items[i];
    return NULL;
}

static void add_rebinding(const struct facts *facts, struct finding *finding, const char *gpu)
{
    AUTO_FREE char *address = shell_quote(strchr(gpu, '/') + 1);
    bool override = facts_string(facts, gpu, "driver_override") != NULL;
    AUTO_FREE char *device = mem_printf("/sys/bus/pci/devices/%s", address);
    AUTO_FREE char *release =
        override ? mem_printf("echo | sudo tee %s/driver_override && ", device) : mem_string("");
    finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT | FOR_NOW,
                        "for now: gives the GPU back until the next boot; first stop the virtual "
                        "machine that uses the GPU",
                        "%secho %s | sudo tee %s/driver/unbind && echo %s | sudo tee "
                        "/sys/bus/pci/drivers_probe",
                        release, address, device, address);
    if (override)
        finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT, "permanently, if driverctl set it",
                            "sudo driverctl unset-override %s", address);
}

/* Who set it aside, as words, and how that is undone. */
static void tell_reason(const struct facts *facts, struct finding *finding, const char *gpu)
{
    static const char *const words[] = {"options", "softdep", NULL};
    const char *path = NULL;
    const char *line = module_setting(facts, "vfio_pci", words, &path);
    const char *option = boot_option(facts);
    const char *initramfs = module_initramfs_command(facts);
    if (line) {
        finding_why(
            finding,
            "%s says: %s; a GPU reserved for virtual machines is not available to programs here",
            path, line);
        finding_evidence_text(finding, path, line);
        AUTO_FREE char *quoted = shell_quote(path);
        finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT | THEN_REBOOT,
                            "removes the setting, so no virtual machine gets this GPU; then reboot",
                            "sudo mv %s %s.off%s%s", quoted, quoted, initramfs ? " && " : "",
                            initramfs ? initramfs : "");
    } else if (option) {
        finding_why(finding, "the kernel's command line says %s", option);
        finding_evidence(finding, facts, "boot", "options");
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                         "remove %s from the kernel's command line (/etc/default/grub), and reboot",
                         option);
    } else if (facts_string(facts, gpu, "driver_override")) {
        finding_why(finding, "the GPU's driver_override says %s, as driverctl or libvirt sets it",
                    facts_string(facts, gpu, "driver_override"));
        finding_evidence(finding, facts, gpu, "driver_override");
        add_rebinding(facts, finding, gpu);
    } else {
        finding_why(finding, "libvirt or a script gave the GPU to vfio-pci while the system ran: "
                             "no vfio-pci setting was found");
        add_rebinding(facts, finding, gpu);
    }
}

void judge_gpu_bound_to_vfio(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (!rule_require_gpu_on_bus(context) || !rule_require_fact(context, "module", "nvidia"))
        return;
    if (!judged_all_on_vfio(facts))
        return;
    if (!facts_true(facts, "module", "nvidia")) {
        rule_skip(context, "the nvidia module is not loaded: the GPUs are for virtual machines");
        return;
    }
    const char *gpu = first_gpu(facts);
    enum severity severity = severity_for_use(context->purpose);
    if (severity == SEVERITY_FAIL && !context->purpose_given)
        severity = SEVERITY_WARN;
    struct finding *finding =
        rule_found(context, severity,
                   "the nvidia driver runs, but vfio-pci holds the GPU at %s for virtual machines",
                   strchr(gpu, '/') + 1);
    finding_subject(finding, strchr(gpu, '/') + 1);
    finding_evidence(finding, facts, gpu, "driver");
    finding_evidence(finding, facts, gpu, "driver_override");
    tell_reason(facts, finding, gpu);
}
