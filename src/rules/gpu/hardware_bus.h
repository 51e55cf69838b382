/* SPDX-License-Identifier: MIT */
#ifndef RULES_GPU_HARDWARE_BUS_H
#define RULES_GPU_HARDWARE_BUS_H

#include <stdbool.h>

#include "facts/facts.h"

/* What has switched a laptop's NVIDIA GPU off ("supergfxd"), where no module runs; NULL: nothing.
 */
const char *hardware_switched_off(const struct facts *facts);

#endif
