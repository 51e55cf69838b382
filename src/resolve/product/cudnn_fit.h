/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_PRODUCT_CUDNN_FIT_H
#define RESOLVE_PRODUCT_CUDNN_FIT_H

#include "base/version.h"
#include "manifest/toolkit/cudnn.h"
#include "resolve/product/cudnn.h"

/* How a release stands to the CUDA, the GPUs and the driver. ret_pair: the pair it rests on, or
 * NULL. */
struct verdict cudnn_verdict(const struct resolve_context *context,
                             const struct manifest_cudnn *release,
                             const struct cudnn_partner *partner,
                             const struct manifest_cudnn_pair **ret_pair);

/* The lowest driver of the pair, for the GPUs of the machine; count 0: unknown. */
struct version cudnn_driver_min(const struct resolve_context *context,
                                const struct manifest_cudnn_pair *pair);

#endif
