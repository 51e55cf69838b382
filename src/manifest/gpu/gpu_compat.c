/* SPDX-License-Identifier: MIT */
#include "manifest/gpu/gpu_compat.h"

#include "manifest/gpu/gpu.h"
#include "manifest/versions/compat.h"

enum manifest_compat manifest_gpu_compat(struct manifest *manifest,
                                         const struct manifest_gpu *model)
{
    return model == NULL ? COMPAT_UNKNOWN
                         : manifest_class_compat(manifest, model->gpu_class, &model->capability);
}
