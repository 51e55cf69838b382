/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_GPU_GPU_COMPAT_H
#define MANIFEST_GPU_GPU_COMPAT_H

#include "manifest/versions/compat.h"

struct manifest;
struct manifest_gpu;

/* Whether forward compatibility (cuda-compat) is meant for GPUs of the model's class; NO also for
 * those that no CUDA with such a package drives. UNKNOWN also where only some of the class may use
 * it (workstation), and where model is NULL. */
enum manifest_compat manifest_gpu_compat(struct manifest *manifest,
                                         const struct manifest_gpu *model);

#endif
