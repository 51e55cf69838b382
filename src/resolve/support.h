/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_SUPPORT_H
#define RESOLVE_SUPPORT_H

#include "manifest/cudnn.h"
#include "resolve/resolve.h"

/* What still supports a compute capability. Rows belong to the manifest. */

/* Releases of cuDNN, previews left out. */
struct support_cudnn {
    const struct manifest_cudnn *last; /* the newest that is known to; NULL: none is */
    const struct manifest_cudnn
        *dropped; /* the first after it that is known not to; NULL: none is */
    const struct manifest_cudnn *newest;   /* that is listed; NULL: none is */
    const struct manifest_cudnn_pair *row; /* what last rests on */
};
struct support_cudnn support_cudnn(struct manifest *manifest,
                                   const struct manifest_capability *capability);

#endif
