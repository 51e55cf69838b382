/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/toolkit/cudnn.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework_load.h"
#include "rules/framework/framework_partial.h"

/* Part of gpu_too_old_for_framework: the cuDNN that a framework gets has dropped the GPU. */

/* The newest row up to that cuDNN for that CUDA which tells the lowest compute capability. What
 * came after the rows has the same floor at least: it only rises (the manifest is checked for it).
 */
static const struct manifest_cudnn_pair *floor_of(struct manifest *manifest,
                                                  const struct version *cudnn, unsigned cuda)
{
    size_t count;
    const struct manifest_cudnn_pair *rows = manifest_cudnn_pairs(manifest, &count);
    const struct manifest_cudnn_pair *found = NULL;
    for (size_t i = 0; i < count; i++)
        if (rows[i].capability.count == 0 && rows[i].capability_min.count > 0 &&
            rows[i].cuda.part[0] == cuda && rows[i].cudnn.part[0] == cudnn->part[0] &&
            version_compare(&rows[i].cudnn, cudnn) <= 0)
            found = &rows[i];
    return found;
}

/* The newest row of that major and CUDA that still has the GPU; NULL: none. */
static const struct manifest_cudnn_pair *last_for(struct manifest *manifest,
                                                  const struct manifest_cudnn_pair *row,
                                                  const struct version *capability)
{
    size_t count;
    const struct manifest_cudnn_pair *rows = manifest_cudnn_pairs(manifest, &count);
    const struct manifest_cudnn_pair *last = NULL;
    for (size_t i = 0; i < count; i++)
        if (rows[i].capability.count == 0 && rows[i].capability_min.count > 0 &&
            rows[i].cuda.part[0] == row->cuda.part[0] &&
            rows[i].cudnn.part[0] == row->cudnn.part[0] &&
            version_compare(&rows[i].capability_min, capability) <= 0)
            last = &rows[i];
    return last;
}

static void dropped_found(struct rule_context *context, const struct framework_load *load,
                          const struct version *cudnn, const struct manifest_cudnn_pair *row,
                          const struct framework_gpu *gpu)
{
    const struct framework *framework = load->framework;
    char capability[VERSION_TEXT_SIZE], least[VERSION_TEXT_SIZE], text[VERSION_TEXT_SIZE];
    AUTO_FREE char *words = framework_words(framework);
    AUTO_FREE char *pip = framework_pip(framework);
    struct finding *finding =
        rule_found(context, framework_severity_of_warning(context, framework),
                   "%s gets cuDNN %s, which no longer supports %s (compute capability %s)", words,
                   version_text(cudnn, 0, text), gpu->name ? gpu->name : "the GPU",
                   version_text(&gpu->capability, 0, capability));
    finding_why(finding,
                "that cuDNN supports compute capability %s and higher; operations that do not use "
                "cuDNN run, but convolutions and attention fail with a cuDNN error",
                version_text(&row->capability_min, 0, least));
    framework_finding(context, finding, framework);
    finding_manifest(finding, row->id);
    finding_evidence(finding, context->facts, load->group, "path");
    finding_evidence(finding, context->facts, load->group, "version");
    finding_evidence(finding, context->facts, gpu->group,
                     facts_string(context->facts, gpu->group, "device_id") ? "device_id"
                                                                           : "capability");
    const struct manifest_cudnn_pair *last = last_for(context->manifest, row, &gpu->capability);
    const struct manifest_cudnn_wheel *wheel =
        manifest_cudnn_wheel_find(context->manifest, row->cuda.part[0]);
    if (last && wheel && !framework->conda)
        finding_fix_command(finding, FIX_SHELL, "the last cuDNN release with code for this GPU",
                            "%s install '%s==%s.*'", pip, wheel->package,
                            version_text(&last->cudnn, 0, text));
}

void framework_find_cudnn_without_gpu(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(facts, context->manifest);
    AUTO_LOADS struct framework_loads loads = framework_loads_of(facts, &frameworks);
    AUTO_FRAMEWORK_GPUS struct framework_gpus gpus = framework_gpus(context);
    for (size_t i = 0; i < loads.count; i++) {
        const struct framework_load *load = &loads.items[i];
        const char *text = facts_string(facts, load->group, "version");
        const struct framework_gpu *gpu;
        struct version cudnn;
        if (!string_starts(load->soname, "libcudnn.so.") || load->path == NULL || text == NULL ||
            load->framework->cuda.count == 0 || !version_parse(text, &cudnn) || cudnn.count < 2 ||
            framework_gpus_without_code(context, load->framework, &gpus, &gpu) > 0)
            continue;
        const struct manifest_cudnn_pair *row =
            floor_of(context->manifest, &cudnn, load->framework->cuda.part[0]);
        for (size_t j = 0; row && j < gpus.count; j++) {
            if (version_compare(&gpus.items[j].capability, &row->capability_min) >= 0)
                continue;
            dropped_found(context, load, &cudnn, row, &gpus.items[j]);
            break;
        }
    }
}
