/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_GPU_INSTANCE_H
#define MANIFEST_GPU_INSTANCE_H

#include "base/strlist.h"

struct manifest;

/* Instance types that a cloud provider rents out with GPUs of one model. */
struct manifest_instance {
    const char *id;
    const char *provider; /* "AWS" */
    const char *gpu;      /* a name that gpu_models_named() finds */
    unsigned count;       /* GPUs of one instance; 0: not all of them have as many */
    struct strlist names; /* "p3.2xlarge", or of a family: "p3" */
    const char *source;
    const char *confidence;
    const char *notes;
};

/* By the name of a type or family, any case, with or without its provider and what that puts before
 * all names: "AWS P3", "Standard_NC6s_v3", "ecs.gn7i-c8g1.2xlarge". NULL: not known. */
const struct manifest_instance *manifest_instance_find(struct manifest *manifest, const char *name);

#endif
