/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "manifest/gpu/gpu.h"
#include "manifest/versions/capability.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/module/judges.h"
#include "rules/module/module.h"
#include "rules/query/hardware.h"
#include "rules/remedy/remedy.h"
#include "rules/remedy/repository.h"

/* GPUs that this driver release, or this flavour of its kernel module, does not take. */

struct refused {
    const struct judged_gpu *gpu;
    const char *address;
    const char *release; /* of the driver; NULL: not known */
    const char *flavour;
    const char *event; /* the log's group that says so; NULL: ids decide */
};

typedef bool decide(const struct rule_context *context, struct refused *refused);

/* Bound to the module, and listed by NVML where NVML has counted: a GPU that the module cannot
 * start stays bound to it. */
static bool is_served(const struct facts *facts, const char *pci)
{
    int64_t count;
    return module_drives(facts, pci) &&
           (!facts_integer(facts, "nvml", "count", &count) ||
            hardware_listed(facts, "nvml", hardware_address(pci)) != NULL);
}

static bool serves_any(const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "pci", &i)) != NULL;)
        if (judged_pci_is_gpu(facts, group) && is_served(facts, group))
            return true;
    return false;
}

/* Each GPU that nobody drives goes to decide; the first that it takes is told. */
static bool find_refused(struct rule_context *context, const struct judged_gpus *gpus,
                         decide *is_refused, struct refused *ret_refused)
{
    const struct facts *facts = context->facts;
    for (size_t i = 0; i < gpus->count; i++) {
        const struct judged_gpu *gpu = &gpus->items[i];
        if (!string_starts(gpu->group, "pci/") || is_served(facts, gpu->group) ||
            !(module_drives(facts, gpu->group) || module_gpu_is_free(facts, gpu->group)))
            continue;
        *ret_refused = (struct refused){.gpu = gpu,
                                        .address = strchr(gpu->group, '/') + 1,
                                        .release = module_release(facts),
                                        .flavour = module_flavour(facts)};
        if (is_refused(context, ret_refused))
            return true;
    }
    return false;
}

static bool require_loaded_module(struct rule_context *context)
{
    if (!rule_require_gpu_on_bus(context) || !rule_require_fact(context, "module", "nvidia"))
        return false;
    if (judged_place(context->facts) != PLACE_CONTAINER)
        return true;
    rule_skip(
        context,
        "the module belongs to the host, and a container does not show the host's GPUs and log");
    return false;
}

/* One GPU that works makes it a warning. */
static enum severity severity_of(const struct rule_context *context)
{
    enum severity severity = severity_for_use(context->purpose);
    return severity == SEVERITY_FAIL && serves_any(context->facts) ? SEVERITY_WARN : severity;
}

/* "the GPU at 0000:01:00.0 (GeForce GTX 1050)"; free() it. */
static char *gpu_words(const struct refused *refused)
{
    const struct manifest_gpu *model = refused->gpu->model;
    return mem_printf("the GPU at %s%s%s%s", refused->address, model ? " (" : "",
                      model ? model->name : "", model ? ")" : "");
}

static void refused_evidence(const struct facts *facts, const struct refused *refused,
                             struct finding *finding)
{
    finding_subject(finding, refused->address);
    finding_evidence(finding, facts, refused->gpu->group, "device_id");
    finding_evidence(finding, facts, refused->gpu->group, "driver");
    finding_evidence(finding, facts, "module", "version");
    if (refused->event)
        finding_evidence(finding, facts, refused->event, "message");
}

/* "supported through the NVIDIA 390.xx Legacy drivers" */
static unsigned branch_of_message(const char *message)
{
    static const char mark[] = "NVIDIA ";
    const char *at = message ? strstr(message, mark) : NULL;
    unsigned long branch = at ? strtoul(at + strlen(mark), NULL, 10) : 0;
    return branch > 0 && branch < 10000 ? (unsigned)branch : 0;
}

static const struct manifest_capability *capability_of(const struct rule_context *context,
                                                       const struct judged_gpu *gpu)
{
    return gpu->capability.count ? manifest_capability_find(context->manifest, &gpu->capability)
                                 : NULL;
}

static unsigned last_branch_of(const struct rule_context *context, const struct refused *refused)
{
    unsigned said = refused->event
                        ? branch_of_message(facts_string(context->facts, refused->event, "message"))
                        : 0;
    const struct manifest_capability *row = capability_of(context, refused->gpu);
    return said || row == NULL ? said : row->last_branch;
}

static bool is_dropped(const struct rule_context *context, struct refused *refused)
{
    struct version version;
    refused->event = module_event(context->facts, "legacy_gpu", refused->address);
    unsigned last = last_branch_of(context, refused);
    if (refused->event)
        return true;
    return last > 0 && refused->release && driver_version_parse(refused->release, &version) &&
           version.part[0] > last;
}

/* Of a GPU that the manifest does not know, the log's branch is all there is. */
static void add_last_branch(const struct rule_context *context, const struct refused *refused,
                            struct finding *finding, unsigned last)
{
    if (capability_of(context, refused->gpu) || last == 0)
        remedy_install_driver(context, finding, 0);
    else if (string_equal(facts_string(context->facts, "os", "id"), "ubuntu")) {
        finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT | THEN_REBOOT,
                            "if this Ubuntu release still offers that driver branch; then reboot",
                            "sudo apt-get install ubuntu-drivers-common && sudo ubuntu-drivers "
                            "install nvidia:%u",
                            last);
    } else
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                         "install driver branch R%u in place of the installed driver "
                         "(https://www.nvidia.com/drivers), then reboot",
                         last);
}

void judge_legacy_gpu_dropped_by_driver(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct refused refused;
    AUTO_GPUS struct judged_gpus gpus = judged_gpus(facts, context->manifest);
    if (!require_loaded_module(context) || !find_refused(context, &gpus, is_dropped, &refused))
        return;
    unsigned last = last_branch_of(context, &refused);
    AUTO_FREE char *gpu = gpu_words(&refused);
    AUTO_FREE char *branch =
        last ? mem_printf("R%u (%u.xx)", last, last) : mem_string("an older one");
    const struct manifest_capability *row = capability_of(context, refused.gpu);
    struct finding *finding =
        rule_found(context, severity_of(context),
                   "%s is too old for driver %s; the last branch that drives this GPU is %s", gpu,
                   refused.release ? refused.release : "that is installed", branch);
    finding_why(finding, "%s",
                refused.event
                    ? "the kernel's log says that the driver ignores this GPU"
                    : "newer driver branches ignore GPUs of this age, recognised by their PCI ID");
    refused_evidence(facts, &refused, finding);
    finding_manifest(finding, refused.event || row == NULL ? NULL : row->id);
    add_last_branch(context, &refused, finding, last);
    finding_fix_note(
        finding, FIX_ALSO,
        "use a CUDA release that this branch supports: gpuenv resolve says which release");
}

static const struct manifest_architecture *architecture_of(const struct rule_context *context,
                                                           const struct judged_gpu *gpu)
{
    return gpu->capability.count ? manifest_architecture_find(context->manifest, &gpu->capability)
                                 : NULL;
}

/* The first open modules drove GPUs that are not for data centres only when told to. */
static bool wants_permission(const struct facts *facts, const struct refused *refused)
{
    bool permitted;
    const char *message = refused->event ? facts_string(facts, refused->event, "message") : NULL;
    if (message && strstr(message, "only ready for use on"))
        return true;
    return refused->gpu->model && !string_equal(refused->gpu->model->gpu_class, "data-centre") &&
           facts_boolean(facts, "driver_parameter", "open_unsupported_gpus", &permitted) &&
           !permitted;
}

static bool is_closed_only(const struct rule_context *context, struct refused *refused)
{
    const struct manifest_architecture *architecture = architecture_of(context, refused->gpu);
    refused->event = module_event(context->facts, "open_unsupported", refused->address);
    if (!string_equal(refused->flavour, "open"))
        return false;
    return refused->event || (architecture && string_equal(architecture->open_module, "no")) ||
           wants_permission(context->facts, refused);
}

static void add_permission(const struct facts *facts, struct finding *finding)
{
    const char *initramfs = module_initramfs_command(facts);
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT | THEN_REBOOT,
                        "lets this release drive this GPU; then reboot",
                        "echo 'options nvidia NVreg_OpenRmEnableUnsupportedGpus=1' | sudo tee -a "
                        "/etc/modprobe.d/nvidia-open.conf%s%s",
                        initramfs ? " && " : "", initramfs ? initramfs : "");
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                     "or install the proprietary flavour of the driver, or a newer driver: its "
                     "open module drives this GPU without that option");
}

/* Ubuntu has both flavours of each branch, one name beside the other; NVIDIA's repository has not.
 */
static void add_other_flavour(const struct rule_context *context, const struct refused *refused,
                              struct finding *finding, const char *flavour)
{
    struct version version;
    bool open = string_equal(flavour, "open");
    if (remedy_distribution(context->facts) != DISTRIBUTION_UBUNTU || refused->release == NULL ||
        repository_has_the_driver(context->facts) ||
        !driver_version_parse(refused->release, &version))
        return;
    AUTO_FREE char *note =
        mem_printf("installs the %s module instead of the %s module; then reboot", flavour,
                   open ? "proprietary" : "open");
    finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT | THEN_REBOOT, note,
                        "sudo apt-get install nvidia-driver-%u%s", version.part[0],
                        open ? "-open" : "");
}

void judge_open_kmod_unsupported_gpu(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct refused refused;
    AUTO_GPUS struct judged_gpus gpus = judged_gpus(facts, context->manifest);
    if (!require_loaded_module(context) || rule_has_found(context, "legacy_gpu_dropped_by_driver"))
        return;
    if (!find_refused(context, &gpus, is_closed_only, &refused)) {
        module_skip_without_file(context);
        return;
    }
    bool permission = wants_permission(facts, &refused);
    const struct manifest_architecture *architecture = architecture_of(context, refused.gpu);
    AUTO_FREE char *gpu = gpu_words(&refused);
    struct finding *finding =
        rule_found(context, severity_of(context), "the open kernel module %s%sdoes not drive %s%s",
                   refused.release ? refused.release : "", refused.release ? " " : "", gpu,
                   permission ? " unless NVreg_OpenRmEnableUnsupportedGpus is set" : "");
    finding_why(finding, "%s%s",
                permission ? "this release of the open module is made for data-centre GPUs"
                           : "the open module needs the GPU's system processor (GSP), which GPUs "
                             "before Turing do not have",
                refused.event ? "; the kernel's log says so" : "");
    refused_evidence(facts, &refused, finding);
    module_flavour_evidence(facts, finding);
    finding_evidence(finding, facts, "driver_parameter", "open_unsupported_gpus");
    finding_manifest(finding,
                     refused.event || permission || architecture == NULL ? NULL : architecture->id);
    if (permission) {
        add_permission(facts, finding);
        return;
    }
    add_other_flavour(context, &refused, finding, "proprietary");
    if (architecture) /* of an unknown GPU it would be the open one again */
        remedy_install_driver(context, finding, 0);
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                     "install the proprietary flavour of the same driver release in place of the "
                     "open flavour (packages without \"open\" in their name), then reboot");
}

static bool is_open_only(const struct rule_context *context, struct refused *refused)
{
    const struct manifest_architecture *architecture = architecture_of(context, refused->gpu);
    const struct manifest_gpu *model = refused->gpu->model;
    refused->event = module_event(context->facts, "open_required", refused->address);
    if (!string_equal(refused->flavour, "proprietary"))
        return false;
    return refused->event ||
           (architecture && string_equal(architecture->open_module, "required")) ||
           (model && string_equal(model->open_module, "required"));
}

void judge_open_kmod_required(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct refused refused;
    AUTO_GPUS struct judged_gpus gpus = judged_gpus(facts, context->manifest);
    if (!require_loaded_module(context) || !find_refused(context, &gpus, is_open_only, &refused))
        return;
    const struct manifest_architecture *architecture = architecture_of(context, refused.gpu);
    AUTO_FREE char *gpu = gpu_words(&refused);
    struct finding *finding =
        rule_found(context, severity_of(context),
                   "%s needs the open kernel module, but the proprietary module %s%sis installed",
                   gpu, refused.release ? refused.release : "", refused.release ? " " : "");
    finding_why(
        finding, "%s",
        refused.event
            ? "the kernel's log asks for the open module"
            : "the proprietary module does not support Blackwell and newer GPUs: the GPU's ID and "
              "the module's licence decide this, whatever else the kernel's log says");
    refused_evidence(facts, &refused, finding);
    module_flavour_evidence(facts, finding);
    finding_manifest(finding, refused.event || architecture == NULL ? NULL : architecture->id);
    add_other_flavour(context, &refused, finding, "open");
    remedy_install_driver(context, finding, 0);
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                     "install the open flavour of the same driver release in place of the "
                     "proprietary flavour (with a .run file: -M open), then reboot");
}
