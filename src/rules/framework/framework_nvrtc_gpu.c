/* SPDX-License-Identifier: MIT */
#include "manifest/versions/capability.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework_load.h"
#include "rules/framework/framework_partial.h"

/* Part of gpu_newer_than_framework_build and gpu_too_old_for_framework: CuPy compiles on the
 * machine, and the NVRTC that it gets makes no code for the GPU. An older one makes code for the
 * newest GPU that it knows, which this one does not run; a newer one that has dropped it refuses.
 */

typedef bool is_without(const struct version *nvrtc, const struct manifest_capability *row);

static bool is_unknown_to(const struct version *nvrtc, const struct manifest_capability *row)
{
    return row->first_cuda.count == 2 && version_compare(nvrtc, &row->first_cuda) < 0;
}

static bool is_dropped_by(const struct version *nvrtc, const struct manifest_capability *row)
{
    return row->dropped_in.count == 2 && version_compare(nvrtc, &row->dropped_in) >= 0;
}

static void tell_why(struct finding *finding, const struct manifest_capability *row, bool dropped)
{
    char release[VERSION_TEXT_SIZE];
    if (dropped)
        finding_why(finding,
                    "CUDA %s is the first whose NVRTC no longer generates code for this GPU: "
                    "\"invalid value for --gpu-architecture\"",
                    version_text(&row->dropped_in, 0, release));
    else
        finding_why(finding,
                    "CUDA %s is the first whose NVRTC generates code for this GPU; code from an "
                    "older NVRTC does not run on this GPU: \"no kernel image is available\"",
                    version_text(&row->first_cuda, 0, release));
}

static void without_found(struct rule_context *context, const struct framework_load *load,
                          const struct manifest_capability *row, const struct framework_gpu *gpu,
                          bool dropped)
{
    const struct facts *facts = context->facts;
    char capability[VERSION_TEXT_SIZE];
    AUTO_FREE char *words = framework_words(load->framework);
    struct finding *finding = rule_found(
        context, framework_severity(context, load->framework),
        "%s compiles with NVRTC %s, which %s %s (compute capability %s)", words,
        facts_string(facts, load->group, "version"),
        dropped ? "no longer generates code for" : "does not know",
        gpu->name ? gpu->name : "the GPU", version_text(&gpu->capability, 0, capability));
    tell_why(finding, row, dropped);
    framework_finding(context, finding, load->framework);
    finding_manifest(finding, row->id);
    finding_evidence(finding, facts, load->group, "path");
    finding_evidence(finding, facts, load->group, "version");
    finding_evidence(finding, facts, gpu->group,
                     facts_string(facts, gpu->group, "device_id") ? "device_id" : "capability");
    framework_fix_build(context, finding, load->framework);
}

/* The release of the NVRTC that a CuPy loads. */
static bool nvrtc_of(const struct facts *facts, const struct framework_load *load,
                     struct version *ret_release)
{
    const char *text = facts_string(facts, load->group, "version");
    if (!string_equal(load->framework->name, "cupy") || !string_equal(load->family, "nvrtc") ||
        load->path == NULL || text == NULL || !version_parse_prefix(text, ret_release) ||
        ret_release->count < 2)
        return false;
    ret_release->count = 2;
    return true;
}

void framework_find_nvrtc_without_gpu(struct rule_context *context, bool dropped)
{
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    AUTO_LOADS struct framework_loads loads = framework_loads_of(context->facts, &frameworks);
    AUTO_FRAMEWORK_GPUS struct framework_gpus gpus = framework_gpus(context);
    is_without *without_it = dropped ? is_dropped_by : is_unknown_to;
    const struct framework *told = NULL;
    for (size_t i = 0; i < loads.count; i++) {
        const struct framework_load *load = &loads.items[i];
        struct version nvrtc;
        if (load->framework == told || !nvrtc_of(context->facts, load, &nvrtc))
            continue;
        size_t without = 0;
        const struct manifest_capability *row = NULL;
        for (size_t k = 0; k < gpus.count; k++) {
            row = manifest_capability_find(context->manifest, &gpus.items[k].capability);
            without += row && without_it(&nvrtc, row);
        }
        if (gpus.count == 0 || without < gpus.count) /* the others serve */
            continue;
        without_found(context, load, row, &gpus.items[gpus.count - 1], dropped);
        told = load->framework;
    }
}
