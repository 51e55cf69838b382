/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_ENGINE_FIT_H
#define RESOLVE_ENGINE_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "resolve/engine/context.h"
#include "resolve/engine/resolution.h"

struct manifest_capability;
struct version;

/* How driver, GPUs and a CUDA version stand to one another, one question each. A verdict that is
 * FIT_EXACT and has no words says nothing against. */

/* Whether the driver drives every GPU. */
struct verdict fit_driver_gpus(const struct resolve_context *context);
/* Whether the toolkit compiles for every GPU; for one. */
struct verdict fit_toolkit_gpus(const struct resolve_context *context, const struct version *cuda);
struct verdict fit_toolkit_gpu(const struct resolve_context *context, const struct resolve_gpu *gpu,
                               const struct version *cuda);
/* Whether the driver runs that CUDA; always with words. */
struct verdict fit_driver_cuda(const struct resolve_context *context, const struct version *cuda);

/* What the cuda-compat packages that are present make of that CUDA: FIT_COMPAT when one of it, or
 * of a later one, may be used; FIT_UNKNOWN when that is not known of it; else FIT_NO. */
enum fit fit_compat(const struct resolve_context *context, const struct version *cuda);

/* The worst of them, the first of equals; the others are freed. */
struct verdict fit_worst(struct verdict *verdicts, size_t count);

/* What is known of a GPU's compute capability; NULL: nothing. */
const struct manifest_capability *fit_capability(const struct resolve_context *context,
                                                 const struct resolve_gpu *gpu);

/* True when there is a driver, or an answer of one, to measure by. */
bool fit_has_driver(const struct resolve_context *context);
/* True when the driver is of a later branch than all that the manifest lists; where it tells no
 * version, when it supports a later CUDA. */
bool fit_driver_is_newer(const struct resolve_context *context);

#endif
