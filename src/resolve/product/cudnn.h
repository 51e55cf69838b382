/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_PRODUCT_CUDNN_H
#define RESOLVE_PRODUCT_CUDNN_H

#include <stdbool.h>

#include "base/version.h"
#include "resolve/engine/request.h"

/* What cuDNN is to be paired with. */
struct cudnn_partner {
    struct version cuda; /* 12.9.2, or a major alone; count 0: the newest it is built for */
    bool by_compat;      /* that CUDA runs through cuda-compat: its libcuda is the newer driver */
};

/* Whether a release that is asked for pairs with the CUDA and runs. */
bool cudnn_exists(const struct resolve_context *context, const struct request *request,
                  const struct cudnn_partner *partner);

/* Lists every release as it pairs with partner, and chooses. False: nothing fits. */
bool cudnn_choose(struct resolve_context *context, const struct request *request,
                  const struct cudnn_partner *partner);

#endif
