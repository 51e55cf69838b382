/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_VERSIONS_COMPAT_H
#define MANIFEST_VERSIONS_COMPAT_H

#include "base/version.h"

struct manifest;

/* Forward compatibility: whether cuda-compat of a CUDA minor runs on a driver branch. NO also where
 * the branch is the package's own: it is of no use there, and stands in the way when loaded.
 * ret_id (may be NULL) is set when the answer is known. */
enum manifest_compat { COMPAT_UNKNOWN, COMPAT_YES, COMPAT_NO };
enum manifest_compat manifest_compat_find(struct manifest *manifest, const struct version *cuda,
                                          unsigned branch, const char **ret_id);

/* Where that row is from, and how sure it is; NULL: not known. */
const char *manifest_compat_source(struct manifest *manifest, const struct version *cuda,
                                   unsigned branch, const char **ret_confidence);

/* Whether forward compatibility is meant for GPUs of that class and compute capability, as
 * manifest_gpu_compat() has it. */
enum manifest_compat manifest_class_compat(struct manifest *manifest, const char *gpu_class,
                                           const struct version *capability);

#endif
