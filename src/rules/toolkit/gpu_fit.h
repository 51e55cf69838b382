/* SPDX-License-Identifier: MIT */
#ifndef RULES_TOOLKIT_GPU_FIT_H
#define RULES_TOOLKIT_GPU_FIT_H

#include "base/version.h"

struct manifest;

/* Whether a CUDA release compiles for a compute capability, by its first and last CUDA
 * (build_gpu.c). Unknown: the manifest does not list it, or the release has no minor number. */
enum gpu_fit { GPU_FITS, GPU_TOO_OLD, GPU_TOO_NEW, GPU_FIT_UNKNOWN };
enum gpu_fit gpu_fit_of(struct manifest *manifest, const struct version *capability,
                        const struct version *release);

#endif
