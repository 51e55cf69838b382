/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_GPU_GPU_MATCH_H
#define MANIFEST_GPU_GPU_MATCH_H

#include <stdbool.h>
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
/* Whether they do not all have one compute capability: nobody can tell which one is meant. */
bool gpu_models_differ(const struct gpu_models *models);

/* Each adds all that fit, those with figures first. */

/* Of that name, as people, drivers, lspci and shops write it ("H100", "rtx4090", "GA106 [GeForce
 * RTX 3060]"), of a part of a GPU ("H100-1g.10gb", "GRID T4-8Q") those of its board. The whole name
 * goes before one whose words, memory size and memory type have all words of it. Case, a leading
 * NVIDIA and all but letters and digits do not matter. */
void gpu_models_named(struct manifest *manifest, const char *name, struct gpu_models *models);
/* Whose name is a part of text that speaks of NVIDIA or of a number such as H100, and whose other
 * words are of no GPU: "ASUS TUF GeForce RTX 4090 OC", "GH200 Grace Hopper Superchip". For text
 * that is nothing else. */
void gpu_models_within(struct manifest *manifest, const char *text, struct gpu_models *models);
/* With that PCI device id ("2330", any case); of those without figures only if there is no other.
 */
void gpu_models_with_device(struct manifest *manifest, const char *device_id,
                            struct gpu_models *models);
/* Of that compute capability; not those that only public lists name. */
void gpu_models_with_capability(struct manifest *manifest, const struct version *capability,
                                struct gpu_models *models);

#endif
