/* SPDX-License-Identifier: MIT */
#ifndef RULES_GPU_HARDWARE_NVLINK_H
#define RULES_GPU_HARDWARE_NVLINK_H

#include <stdbool.h>

#include "facts/facts.h"

/* True when all NVLinks of the GPU of that nvml group are down, and none ought to be up. */
bool hardware_is_unjoined(const struct facts *facts, const char *nvml);

#endif
