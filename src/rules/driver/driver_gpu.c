/* SPDX-License-Identifier: MIT */
#include "rules/driver/driver_gpu.h"

#include <string.h>

#include "manifest/gpu/device.h"
#include "manifest/gpu/gpu.h"
#include "manifest/versions/capability.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/module/module.h"
#include "rules/remedy/remedy.h"

static bool counts(const struct facts *facts, const struct judged_driver *driver,
                   const struct judged_gpu *gpu)
{
    if (!string_starts(gpu->group, "pci/"))
        return true;
    if (driver->assumed)
        return !string_equal(facts_string(facts, gpu->group, "driver"), "vfio-pci");
    return !module_drives(facts, gpu->group) && module_gpu_is_free(facts, gpu->group);
}

static char *gpu_words(const struct facts *facts, const struct judged_gpu *gpu)
{
    const char *assumed = facts_string(facts, gpu->group, "name");
    const char *name = gpu->model ? gpu->model->name : assumed ? assumed : "the GPU";
    char capability[VERSION_TEXT_SIZE];
    return mem_printf("%s (compute capability %s)", name,
                      version_text(&gpu->capability, 0, capability));
}

static void newer_found(struct rule_context *context, const struct judged_driver *driver,
                        const struct judged_gpu *gpu, const struct manifest_capability *row)
{
    const struct facts *facts = context->facts;
    enum severity severity = severity_for_use(context->purpose);
    AUTO_FREE char *words = gpu_words(facts, gpu);
    struct finding *finding = rule_found(
        context, severity, "%sdriver %s does not support %s yet: R%u is the first branch that does",
        driver->assumed ? "assumed " : "", driver->text, words, row->first_branch);
    finding_why(finding,
                "an older driver does not know this GPU, so programs fail with \"no CUDA-capable "
                "device is detected\" (error 100), whichever CUDA version they are built for");
    finding_manifest(finding, row->id);
    finding_subject(finding, strchr(gpu->group, '/') ? strchr(gpu->group, '/') + 1 : gpu->group);
    finding_evidence(finding, facts, driver->group, driver->name);
    finding_evidence(finding, facts, gpu->group,
                     facts_string(facts, gpu->group, "device_id") ? "device_id" : "capability");
    remedy_install_driver(context, finding, row->first_branch);
}

/* The row of a GPU that the driver does not drive yet; NULL: it does, or that is not known. */
static const struct manifest_capability *newer_row(const struct rule_context *context,
                                                   const struct judged_driver *driver,
                                                   const struct judged_gpu *gpu)
{
    const struct manifest_capability *row =
        driver->version.count && gpu->capability.count
            ? manifest_capability_find(context->manifest, &gpu->capability)
            : NULL;
    return row && row->first_branch > driver->version.part[0] && counts(context->facts, driver, gpu)
               ? row
               : NULL;
}

/* The driver itself said in this boot's log that it does not support this board, and a later one
 * lists it. Not listed alone is no proof. */
struct refused_board {
    const char *event;           /* the group of the log's line; NULL: the driver did not say so */
    const struct version *first; /* that lists the board */
    const struct manifest_listed *row;
};

static struct refused_board refused_board(const struct rule_context *context,
                                          const struct judged_driver *driver,
                                          const struct judged_gpu *gpu)
{
    const struct facts *facts = context->facts;
    struct refused_board refused = {.event = NULL};
    if (driver->assumed || driver->version.count == 0 || gpu->device_id == NULL ||
        !string_starts(gpu->group, "pci/") || !counts(facts, driver, gpu) ||
        manifest_device_listing(context->manifest, gpu->device_id, &driver->version, &refused.row,
                                &refused.first) != LISTING_NO ||
        version_compare(refused.first, &driver->version) < 0)
        return refused;
    refused.event = module_event(facts, "gpu_unsupported", strchr(gpu->group, '/') + 1);
    return refused;
}

static void refused_found(struct rule_context *context, const struct judged_driver *driver,
                          const struct judged_gpu *gpu, const struct refused_board *refused)
{
    const struct facts *facts = context->facts;
    char first[VERSION_TEXT_SIZE];
    AUTO_FREE char *words = gpu_words(facts, gpu);
    struct finding *finding = rule_found(
        context, severity_for_use(context->purpose),
        "driver %s does not support %s yet: %s is the first driver that lists this board",
        driver->text, words, version_text(refused->first, 0, first));
    finding_why(finding, "this boot's log says: %s",
                facts_string(facts, refused->event, "message"));
    finding_subject(finding, strchr(gpu->group, '/') + 1);
    finding_evidence(finding, facts, driver->group, driver->name);
    finding_evidence(finding, facts, gpu->group, "device_id");
    finding_evidence(finding, facts, refused->event, "message");
    if (refused->row)
        finding_manifest(finding, refused->row->id);
    unsigned branch = refused->first->part[0];
    remedy_install_driver(context, finding, branch > driver->version.part[0] ? branch : 0);
}

void driver_find_newer_gpus(struct rule_context *context, const struct judged_driver *driver)
{
    AUTO_GPUS struct judged_gpus gpus = judged_gpus(context->facts, context->manifest);
    for (size_t i = 0; i < gpus.count; i++) {
        const struct manifest_capability *row = newer_row(context, driver, &gpus.items[i]);
        struct refused_board refused = refused_board(context, driver, &gpus.items[i]);
        if (row)
            newer_found(context, driver, &gpus.items[i], row);
        else if (refused.event)
            refused_found(context, driver, &gpus.items[i], &refused);
    }
}

bool driver_knows_no_gpu(const struct rule_context *context)
{
    size_t on_bus = 0, newer = 0;
    struct judged_driver driver = judged_driver(context->facts);
    AUTO_GPUS struct judged_gpus gpus = judged_gpus(context->facts, context->manifest);
    for (size_t i = 0; i < gpus.count; i++) {
        on_bus += string_starts(gpus.items[i].group, "pci/");
        newer += newer_row(context, &driver, &gpus.items[i]) != NULL ||
                 refused_board(context, &driver, &gpus.items[i]).event != NULL;
    }
    return on_bus > 0 && newer == on_bus;
}
