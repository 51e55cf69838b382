/* SPDX-License-Identifier: MIT */
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework.h"
#include "rules/framework/framework_partial.h"
#include "rules/framework/judges.h"
#include "rules/query/framework_choice.h"
#include "rules/remedy/remedy.h"

/* framework_ptx_newer_than_driver: all that a framework has for a GPU is PTX, and the driver does
 * not know that version. Whether it does is told, as what is resolved is. */

/* The GPUs that this was told of, as known or as not known. */
struct refused {
    const struct framework_gpu *gpu; /* the first; NULL: none */
    const struct framework_ptx *ptx;
    size_t gpus;
};

static struct refused refused_of(const struct rule_context *context,
                                 const struct framework *framework,
                                 const struct framework_gpus *gpus, bool unknown)
{
    struct refused refused = {.gpu = NULL};
    for (size_t i = 0; i < gpus->count; i++) {
        const struct framework_ptx *ptx =
            framework_ptx_find(context->choices, framework->group, &gpus->items[i].capability);
        if (ptx == NULL || ptx->unknown != unknown || refused.gpus++ > 0)
            continue;
        refused.gpu = &gpus->items[i];
        refused.ptx = ptx;
    }
    return refused;
}

static char *gpu_words(const struct framework_gpu *gpu)
{
    char text[VERSION_TEXT_SIZE];
    return mem_printf("%s (compute capability %s)", gpu->name ? gpu->name : "the GPU",
                      version_text(&gpu->capability, 0, text));
}

static void add_driver_fix(const struct rule_context *context, struct finding *finding,
                           const struct version *least)
{
    struct judged_driver driver = judged_driver(context->facts);
    finding_evidence(finding, context->facts, driver.group, driver.name);
    if (least->count == 0)
        return;
    if (driver.assumed)
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                         "install driver branch R%u or newer on the target machine",
                         least->part[0]);
    else
        remedy_install_driver(context, finding, least->part[0]);
}

static void refused_found(struct rule_context *context, const struct framework *framework,
                          const struct refused *refused, size_t all)
{
    enum severity severity = refused->gpus < all ? framework_severity_of_warning(context, framework)
                                                 : framework_severity(context, framework);
    AUTO_FREE char *words = framework_words(framework);
    AUTO_FREE char *gpu = gpu_words(refused->gpu);
    struct finding *finding = rule_found(
        context, severity, "%s has only PTX for %s, and the driver is too old for it", words, gpu);
    finding_why(finding, "%s", refused->ptx->why);
    framework_finding(context, finding, framework);
    if (refused->ptx->row)
        finding_manifest(finding, refused->ptx->row);
    finding_evidence(finding, context->facts, framework->group, "ptx_versions");
    finding_evidence(finding, context->facts, refused->gpu->group,
                     facts_string(context->facts, refused->gpu->group, "device_id") ? "device_id"
                                                                                    : "capability");
    add_driver_fix(context, finding, &refused->ptx->driver_min);
    framework_fix_build(context, finding, framework);
}

void judge_framework_ptx_newer_than_driver(struct rule_context *context)
{
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    AUTO_FRAMEWORK_GPUS struct framework_gpus gpus = framework_gpus(context);
    if (!rule_require_framework_gpus(context, &frameworks, &gpus))
        return;
    for (size_t i = 0; i < frameworks.count; i++) {
        const struct framework *framework = &frameworks.items[i];
        facts_get(context->facts, framework->group, "ptx"); /* that was judged before */
        facts_get(context->facts, framework->group, "ptx_versions");
        struct refused refused = refused_of(context, framework, &gpus, false);
        struct refused unknown = refused_of(context, framework, &gpus, true);
        if (refused.gpu)
            refused_found(context, framework, &refused, gpus.count);
        if (unknown.gpu == NULL || !framework->active)
            continue;
        AUTO_FREE char *words = framework_words(framework);
        AUTO_FREE char *gpu = gpu_words(unknown.gpu);
        rule_unknown(context, "it is not known whether %s runs on %s: %s", words, gpu,
                     unknown.ptx->why);
    }
}
