/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_PAIR_H
#define RESOLVE_PAIR_H

#include <stdbool.h>

#include "resolve/product/cudnn.h"

/* CUDA, cuDNN and the other products together. Either request may be NULL. context->cuda gets the
 * CUDA that was chosen. */
void pair_resolve(struct resolve_context *context, const struct request *cuda,
                  const struct request *cudnn);

/* What a product alone is for: the CUDA of the prefix, else the newest that the machine runs (with
 * a cuDNN of that request, which may be NULL), else any. False: no CUDA runs, and so nothing of
 * name fits, which asked for it. */
bool pair_partner(struct resolve_context *context, const char *name, const char *asked,
                  const struct request *cudnn, struct cudnn_partner *ret_partner);

#endif
