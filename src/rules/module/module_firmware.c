/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/module/judges.h"
#include "rules/module/module.h"
#include "rules/query/hardware.h"

/* gsp_firmware_missing: the module runs and does not find the firmware for the GPU's processor
 * (GSP), which is a file of the driver: /lib/firmware/nvidia/RELEASE/gsp_*.bin (NVIDIA's README,
 * "GSP firmware"; the message is request_firmware's, drivers/base/firmware_loader of Linux). */

#define EVENT "gsp_firmware_missing"

/* Another error than ENOENT, such as an interrupted start, is no missing file. */
static bool says_missing(const struct facts *facts, const char *log)
{
    const char *message = log ? facts_string(facts, log, "message") : NULL;
    return message && (strstr(message, "No firmware image found") || strstr(message, "error -2"));
}

/* The log's words about the GPU at address; those without an address where it is the only one. */
static const char *log_of(const struct facts *facts, const char *address)
{
    int64_t gpus = 0;
    const char *own = hardware_event(facts, EVENT, address);
    facts_integer(facts, "pci", "count", &gpus);
    if (own == NULL && gpus == 1)
        own = module_event(facts, EVENT, address);
    return says_missing(facts, own) ? own : NULL;
}

/* "nvidia/550.76/gsp_ga10x.bin" of "Direct firmware load for … failed with error -2". free() it. */
static char *file_of(const char *message)
{
    const char *at = message ? strstr(message, " nvidia/") : NULL;
    return at ? mem_string_n(at + 1, strcspn(at + 1, " ")) : NULL;
}

static void add_fixes(const struct rule_context *context, struct finding *finding)
{
    const struct facts *facts = context->facts;
    const struct strlist *files = facts_list(facts, "module", "firmware");
    const char *release = facts_string(facts, "module", "version");
    const char *initramfs = module_initramfs_command(facts);
    if (files && files->count && initramfs) {
        finding_fix_command(finding, FIX_STEP | NEEDS_ROOT | THEN_REBOOT,
                            "the firmware is on the disk, so the module was loaded from an "
                            "initramfs without the firmware: rebuilds the initramfs; then reboot",
                            "%s", initramfs);
        return;
    }
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                     "install the firmware for release %s: the firmware is part of the driver's "
                     "packages (Debian: firmware-nvidia-gsp; Ubuntu: nvidia-firmware-…) and of "
                     "NVIDIA's .run file (even with --no-kernel-modules); then reboot",
                     release ? release : "N of the loaded module");
    finding_fix_command(finding, FIX_LOOK, "shows the releases whose firmware is installed",
                        "ls /lib/firmware/nvidia/");
}

static void firmware_found(struct rule_context *context, const char *address, const char *log)
{
    const struct facts *facts = context->facts;
    const char *release = facts_string(facts, "module", "version");
    AUTO_FREE char *file = file_of(facts_string(facts, log, "message"));
    AUTO_FREE char *label = hardware_label(facts, address);
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "the nvidia module cannot start %s: its firmware %s was not found", label,
                   file ? file : "(GSP)");
    finding_subject(finding, address);
    finding_why(finding,
                "part of the driver runs on a processor in the GPU; the firmware file for this "
                "processor must have the same release as the module (/lib/firmware/nvidia/%s)",
                release ? release : "RELEASE");
    finding_evidence(finding, facts, log, "message");
    finding_evidence(finding, facts, "module", "version");
    finding_evidence(finding, facts, "module", "firmware");
    finding_follows(context, finding, "driver_library_mismatch");
    add_fixes(context, finding);
}

void judge_gsp_firmware_missing(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    if (!rule_require_gpu_on_bus(context) || !rule_require_fact(context, "module", "nvidia"))
        return;
    if (!facts_true(facts, "module", "nvidia")) {
        rule_skip(context, "the nvidia module is not loaded");
        return;
    }
    if (judged_place(facts) == PLACE_CONTAINER) {
        rule_skip(context, "the kernel's log and the firmware belong to the host");
        return;
    }
    for (size_t i = 0; (group = facts_next(facts, "pci", &i)) != NULL;) {
        const char *address = hardware_address(group);
        const char *log = judged_pci_is_gpu(facts, group) ? log_of(facts, address) : NULL;
        /* Without it a proprietary module may go on by itself. */
        if (log && hardware_listed(facts, "nvml", address) == NULL &&
            hardware_listed(facts, "cuda", address) == NULL)
            firmware_found(context, address, log);
    }
}
