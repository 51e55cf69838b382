/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_WANTED_H
#define RESOLVE_WANTED_H

#include "resolve/engine/context.h"

struct manifest_build;

/* What a build of --for-framework wants beside CUDA and cuDNN (NCCL, cuSPARSELt, NVSHMEM,
 * cuTENSOR): each is chosen for the CUDA that was chosen, unless specs name it. What cannot be had
 * is told in a note, and is no failure: the framework's own packages bring it, or it works without.
 */
void wanted_resolve(struct resolve_context *context, const struct manifest_build *build,
                    const struct resolve_specs *specs);

#endif
