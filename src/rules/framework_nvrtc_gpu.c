/* SPDX-License-Identifier: MIT */
#include "rules/framework_judges.h"
#include "rules/framework_load.h"

/* Part of gpu_newer_than_framework_build and gpu_too_old_for_framework: CuPy compiles on the
 * machine, and the NVRTC that it gets does not know the GPU, or not any more. For one that is too
 * new it makes machine code for the newest that it knows, which the GPU does not run; one that is
 * too old it refuses. */

static void gpu_found(struct rule_context *context, const struct framework_load *load,
                      const struct manifest_capability *row, const struct framework_gpu *gpu,
                      bool dropped)
{
    const struct facts *facts = context->facts;
    char capability[VERSION_TEXT_SIZE], first[VERSION_TEXT_SIZE];
    AUTO_FREE char *words = framework_words(load->framework);
    struct finding *finding = rule_found(
        context, framework_severity(context, load->framework),
        "%s compiles with NVRTC %s, which %s %s (compute capability %s)", words,
        facts_string(facts, load->group, "version"), dropped ? "has dropped" : "does not know",
        gpu->name ? gpu->name : "the GPU", version_text(&gpu->capability, 0, capability));
    if (dropped)
        finding_why(finding,
                    "CUDA %s is the last whose NVRTC makes code for it: \"invalid value for "
                    "--gpu-architecture\"",
                    version_text(&row->last_cuda, 0, first));
    else
        finding_why(
            finding,
            "CUDA %s is the first whose NVRTC makes code for it; that of an older one does not "
            "run there: \"no kernel image is available\"",
            version_text(&row->first_cuda, 0, first));
    framework_finding(context, finding, load->framework);
    finding_manifest(finding, row->id);
    finding_evidence(finding, facts, load->group, "path");
    finding_evidence(finding, facts, load->group, "version");
    finding_evidence(finding, facts, gpu->group,
                     facts_string(facts, gpu->group, "device_id") ? "device_id" : "capability");
    framework_fix_build(context, finding, load->framework);
}

static bool is_unknown_to(const struct version *nvrtc, const struct manifest_capability *row,
                          bool dropped)
{
    struct version release = *nvrtc;
    release.count = 2;
    if (dropped)
        return row && row->last_cuda.count == 2 && version_compare(&release, &row->last_cuda) > 0;
    return row && row->first_cuda.count == 2 && version_compare(&release, &row->first_cuda) < 0;
}

void framework_find_nvrtc_without_gpu(struct rule_context *context, bool dropped)
{
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    AUTO_LOADS struct framework_loads loads = framework_loads_of(context->facts, &frameworks);
    AUTO_FRAMEWORK_GPUS struct framework_gpus gpus = framework_gpus(context);
    const struct framework *told = NULL;
    for (size_t i = 0; i < loads.count; i++) {
        const struct framework_load *load = &loads.items[i];
        const char *text = facts_string(context->facts, load->group, "version");
        struct version nvrtc;
        if (!string_equal(load->framework->name, "cupy") || load->framework == told ||
            !string_equal(load->family, "nvrtc") || load->path == NULL || text == NULL ||
            !version_parse_prefix(text, &nvrtc) || nvrtc.count < 2)
            continue;
        size_t without = 0;
        const struct manifest_capability *row = NULL;
        for (size_t k = 0; k < gpus.count; k++) {
            row = manifest_capability_find(context->manifest, &gpus.items[k].capability);
            without += is_unknown_to(&nvrtc, row, dropped);
        }
        if (gpus.count == 0 || without < gpus.count) /* the others serve */
            continue;
        gpu_found(context, load, row, &gpus.items[gpus.count - 1], dropped);
        told = load->framework;
    }
}
