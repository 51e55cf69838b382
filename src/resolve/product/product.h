/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_PRODUCT_PRODUCT_H
#define RESOLVE_PRODUCT_PRODUCT_H

#include <stdbool.h>

#include "resolve/engine/request.h"

struct version;

/* Another product of NVIDIA's redist directories (cutensor, nvcomp …): the newest pinned one that
 * has files for the CUDA major; count 0: any. False: nothing fits. */
bool product_choose(struct resolve_context *context, const struct request *request,
                    const char *product, const struct version *cuda);

#endif
