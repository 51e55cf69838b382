/* SPDX-License-Identifier: MIT */
#ifndef RULES_CONTAINER_QUADLET_H
#define RULES_CONTAINER_QUADLET_H

#include "facts/facts.h"

/* The group of the first Quadlet that asks for a device of NVIDIA's by its CDI name; NULL: none
 * does. */
const char *quadlet_of_cdi(const struct facts *facts);

/* The first that asks for one that none of the specifications has, where some describe that kind,
 * and that name. */
const char *quadlet_of_unknown_device(const struct facts *facts, const char **ret_device);

#endif
