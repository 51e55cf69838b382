/* SPDX-License-Identifier: MIT */
#include "manifest/gpu/gpu.h"
#include "manifest/versions/capability.h"
#include "rules/query/judged.h"

#include <string.h>

void judged_gpus_free(struct judged_gpus *gpus)
{
    free(gpus->items);
}

bool judged_pci_is_gpu(const struct facts *facts, const char *group)
{
    const char *class_code = facts_string(facts, group, "class");
    return class_code == NULL || string_starts(class_code, "0300") ||
           string_starts(class_code, "0302");
}

bool judged_all_on_vfio(const struct facts *facts)
{
    const char *group;
    bool any = false;
    for (size_t i = 0; (group = facts_next(facts, "pci", &i)) != NULL;) {
        if (!judged_pci_is_gpu(facts, group))
            continue;
        if (!string_equal(facts_string(facts, group, "driver"), "vfio-pci"))
            return false;
        any = true;
    }
    return any;
}

/* Where the bus was not seen (a list that somebody sent), the name that NVML gives tells. */
static const struct manifest_gpu *model_by_name(const struct facts *facts,
                                                struct manifest *manifest, const char *group)
{
    bool pci = string_starts(group, "pci/");
    const char *nvml = pci ? facts_find(facts, "nvml", "bus_id", group + strlen("pci/")) : group;
    const char *name = nvml ? facts_string(facts, nvml, "name") : NULL;
    return name ? manifest_gpu_by_name(manifest, name, NULL) : NULL;
}

bool judged_bus_is_skipped(const struct facts *facts)
{
    const struct fact *count = facts_peek(facts, "pci", "count");
    return count && count->state == FACT_SKIPPED;
}

static void gpu_add(struct judged_gpus *gpus, const struct facts *facts, struct manifest *manifest,
                    const char *group)
{
    struct judged_gpu *gpu = vec_push(gpus->items, gpus->count, gpus->capacity);
    gpu->group = group;
    gpu->device_id = facts_string(facts, group, "device_id");
    if (gpu->device_id)
        gpu->model = manifest_gpu_by_device(manifest, gpu->device_id);
    else if (judged_bus_is_skipped(facts))
        gpu->model = model_by_name(facts, manifest, group);
    const char *capability = facts_string(facts, group, "capability");
    if (capability && version_parse(capability, &gpu->capability))
        return;
    const struct manifest_gpu_range *range = gpu->model || gpu->device_id == NULL
                                                 ? NULL
                                                 : manifest_gpu_range_of(manifest, gpu->device_id);
    if (gpu->model)
        gpu->capability = gpu->model->capability;
    else if (range)
        gpu->capability = range->capability;
}

struct judged_gpus judged_gpus(const struct facts *facts, struct manifest *manifest)
{
    struct judged_gpus gpus = {.count = 0};
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "assumed", &i)) != NULL;)
        gpu_add(&gpus, facts, manifest, group);
    if (gpus.count > 0)
        return gpus;
    for (size_t i = 0; (group = facts_next(facts, "pci", &i)) != NULL;)
        if (judged_pci_is_gpu(facts, group))
            gpu_add(&gpus, facts, manifest, group);
    if (!judged_bus_is_skipped(facts))
        return gpus;
    bool none = gpus.count == 0;
    for (size_t i = 0; (group = facts_next(facts, "nvml", &i)) != NULL;)
        if (none || facts_string(facts, group, "bus_id") == NULL)
            gpu_add(&gpus, facts, manifest, group);
    return gpus;
}

unsigned judged_last_branch(const struct judged_gpus *gpus, struct manifest *manifest)
{
    unsigned last = 0;
    for (size_t i = 0; i < gpus->count; i++) {
        const struct version *capability = &gpus->items[i].capability;
        const struct manifest_capability *row =
            capability->count ? manifest_capability_find(manifest, capability) : NULL;
        if (row && row->last_branch && (last == 0 || row->last_branch < last))
            last = row->last_branch;
    }
    return last;
}
