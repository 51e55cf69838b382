/* SPDX-License-Identifier: MIT */
#include "rules/query/vm_guest.h"

#include "manifest/gpu/gpu.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/threshold.h"
#include "rules/module/module.h"
#include "rules/query/gpu_nvml.h"
#include "rules/query/hardware.h"
#include "rules/remedy/remedy.h"
#include "rules/system/judges.h"

/* vm_guest_refused_by_driver: the module has the GPU, and does not start it in a virtual machine.
 */

/* Of data-centre GPUs it is known of KVM alone: clouds pass those through with every driver. */
static bool is_refused_kind(const struct facts *facts, const struct manifest_gpu *model)
{
    const char *virtualization = facts_string(facts, "machine", "virtualization");
    return (model && string_equal(model->gpu_class, "geforce")) ||
           string_equal(virtualization, "kvm") || string_equal(virtualization, "qemu");
}

/* What else keeps a GPU from being started, and is told by itself. */
static const char *other_cause(const struct rule_context *context)
{
    static const char *const causes[] = {"gpu_fell_off_bus", "gsp_rpc_timeout",
                                         "pci_bar_unassigned", "driver_library_mismatch"};
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
        if (rule_has_found(context, causes[i]))
            return causes[i];
    return NULL;
}

/* The GPU that the module has and NVML does not list; NULL: none, or of another kind. */
static const struct judged_gpu *refused_gpu(const struct facts *facts,
                                            const struct judged_gpus *gpus)
{
    for (size_t i = 0; i < gpus->count; i++) {
        const struct judged_gpu *gpu = &gpus->items[i];
        if (string_starts(gpu->group, "pci/") && module_drives(facts, gpu->group) &&
            !facts_true(facts, gpu->group, "virtual_function") &&
            !hardware_listed(facts, "nvml", hardware_address(gpu->group)) &&
            is_refused_kind(facts, gpu->model))
            return gpu;
    }
    return NULL;
}

static void guest_found(struct rule_context *context, const struct judged_gpu *gpu,
                        const char *release, const struct manifest_threshold *first)
{
    const struct facts *facts = context->facts;
    const char *address = hardware_address(gpu->group);
    const char *log = module_event(facts, "rm_init_failed", address);
    char branch[VERSION_TEXT_SIZE];
    version_text(&first->version, 0, branch);
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "driver %s does not start the GPU at %s%s%s%s in this virtual machine (%s)",
                   release, address, gpu->model ? " (" : "", gpu->model ? gpu->model->name : "",
                   gpu->model ? ")" : "", facts_string(facts, "machine", "virtualization"));
    finding_subject(finding, address);
    finding_why(finding,
                "drivers before R%s look for a hypervisor and do not start a GeForce in a guest "
                "(also reported for a Tesla T4); the module is bound, NVML lists no GPU, and no "
                "other cause was found",
                branch);
    finding_evidence(finding, facts, "machine", "virtualization");
    finding_evidence(finding, facts, "module", "version");
    finding_evidence(finding, facts, gpu->group, "driver");
    finding_evidence(finding, facts, "nvml", "count");
    finding_evidence(finding, facts, log, "message");
    finding_manifest(finding, first->id);
    remedy_install_driver(context, finding, first->version.part[0]);
    finding_fix_note(finding, FIX_HOST | NEEDS_ROOT,
                     "or let the host hide the hypervisor: for libvirt <kvm><hidden "
                     "state='on'/></kvm> in the guest's <features>, for Proxmox cpu: "
                     "host,hidden=1; then start the guest again");
}

void judge_vm_guest_refused_by_driver(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    int64_t listed = 0;
    struct version version;
    const char *release = facts_string(facts, "module", "version");
    if (!rule_require_gpu_on_bus(context))
        return;
    if (!vm_guest_is(facts)) {
        rule_skip(context, "this is not a virtual machine");
        return;
    }
    if (release == NULL || !driver_version_parse(release, &version)) {
        rule_skip(context, "the nvidia module is not loaded");
        return;
    }
    const struct manifest_threshold *first = threshold_of(context, "vm-geforce");
    if (first == NULL || version_compare(&version, &first->version) >= 0 ||
        !facts_integer(facts, "nvml", "count", &listed) || listed > 0)
        return;
    const char *other = other_cause(context);
    if (other) {
        rule_skip(context, "%s says why the GPU is not started", other);
        return;
    }
    AUTO_GPUS struct judged_gpus gpus = judged_gpus(facts, context->manifest);
    const struct judged_gpu *gpu = refused_gpu(facts, &gpus);
    if (gpu)
        guest_found(context, gpu, release, first);
}
