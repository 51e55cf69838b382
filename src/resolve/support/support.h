/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_SUPPORT_SUPPORT_H
#define RESOLVE_SUPPORT_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "manifest/toolkit/cudnn.h"
#include "manifest/framework/framework.h"

struct manifest;
struct manifest_capability;
struct version;

/* What still supports a compute capability. Rows belong to the manifest. */

/* Releases of cuDNN, previews left out. */
struct support_cudnn {
    const struct manifest_cudnn *last; /* the newest that is known to; NULL: none is */
    const struct manifest_cudnn
        *dropped; /* the first after it that is known not to; NULL: none is */
    const struct manifest_cudnn *unknown; /* the first of those after last, and before dropped, that
                                             are not known to or not to; NULL: none is */
    const struct manifest_cudnn *newest;  /* that is listed; NULL: none is */
    const struct manifest_cudnn_pair *row; /* what last rests on */
};
struct support_cudnn support_cudnn(struct manifest *manifest,
                                   const struct manifest_capability *capability);

/* The newest published release of a framework that has code for it on Linux, or runs on it by its
 * makers' word. */
struct support_framework {
    const struct manifest_framework *framework;
    const struct manifest_build *build;  /* NULL: none is known to */
    const struct manifest_build *newest; /* of the newest release with CUDA; NULL: none is listed */
    bool ptx;                            /* it has PTX for it alone, which the driver compiles */
    bool documented;     /* its makers say that it runs, and no list of its code is known */
    const char *machine; /* x86_64, or aarch64 where no other build has code for it */
    bool newer_unknown;  /* whether a newer release has it is not known */
};
struct support_frameworks {
    struct support_framework *items;
    size_t count, capacity;
};
void support_frameworks_free(struct support_frameworks *frameworks);
/* Adds every framework that has CUDA of its own, in the manifest's order. */
void support_frameworks_of(struct manifest *manifest, const struct version *capability,
                           struct support_frameworks *frameworks);

#endif
