/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_PRODUCT_CUDA_H
#define RESOLVE_PRODUCT_CUDA_H

#include <stdbool.h>

#include "resolve/engine/request.h"

struct manifest_cuda;
struct resolve_candidate;
struct version;

/* How a toolkit release stands to the machine. */
struct verdict cuda_verdict(const struct resolve_context *context, const struct version *cuda);

/* Adds every toolkit release as a candidate. */
struct listing cuda_list(struct resolve_context *context);

/* Whether something else speaks against a CUDA version (a cuDNN that is asked for beside it): then
 * false, and the candidate is turned down with slug and sentence. */
struct cuda_also {
    bool (*holds)(const struct resolve_context *context, const struct version *cuda,
                  struct resolve_candidate *candidate, const void *asked);
    const void *asked; /* what holds() is handed */
};

/* Chooses among the listed ones; adds the choice and says why newer ones are not it. also may be
 * NULL. False: nothing fits, and the failure is kept. */
bool cuda_choose(struct resolve_context *context, const struct listing *listing,
                 const struct request *request, const struct cuda_also *also,
                 const struct manifest_cuda **ret_cuda);

#endif
