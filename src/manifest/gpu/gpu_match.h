/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_GPU_GPU_MATCH_H
#define MANIFEST_GPU_GPU_MATCH_H

#include <stddef.h>

#include "base/memory.h"

struct manifest;
struct manifest_gpu;
struct version;

/* Models that a word may mean. The list is the caller's, the models belong to the manifest. */
struct gpu_models {
    const struct manifest_gpu **items;
    size_t count, capacity;
};
#define AUTO_MODELS AUTO(gpu_models_free)
void gpu_models_free(struct gpu_models *models);

/* Each adds all that fit, those with figures first: of that name (the first one is what
 * manifest_gpu_by_name() gives, the others fit it as well), with that PCI device id ("2330", any
 * case), of that compute capability. */
void gpu_models_named(struct manifest *manifest, const char *name, struct gpu_models *models);
void gpu_models_with_device(struct manifest *manifest, const char *device_id,
                            struct gpu_models *models);
void gpu_models_with_capability(struct manifest *manifest, const struct version *capability,
                                struct gpu_models *models);

#endif
