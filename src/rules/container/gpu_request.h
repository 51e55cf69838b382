/* SPDX-License-Identifier: MIT */
#ifndef RULES_CONTAINER_GPU_REQUEST_H
#define RULES_CONTAINER_GPU_REQUEST_H

#include "rules/engine/context.h"

/* How a container asks its engine for a GPU: "docker run --gpus all"; engine as in the fact
 * container.engine. */
const char *gpu_request_of(const char *engine);

/* Adds it as fixes, with what else the engine's users write (compose). */
void gpu_request_fix(struct finding *finding, const char *engine);

#endif
