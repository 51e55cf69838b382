/* SPDX-License-Identifier: MIT */
#ifndef RULES_GPU_HARDWARE_LINK_H
#define RULES_GPU_HARDWARE_LINK_H

#include "rules/engine/context.h"

/* The speed of a link for people: "16.0 GT/s" of sysfs's "16.0 GT/s PCIe". free() it. */
char *hardware_speed(const char *speed);
/* True when the link of the GPU is slower than card and slot can do, and nothing runs on it. A
 * speed or a load that is not known is no rest. */
bool hardware_find_resting_link(struct rule_context *context, const char *pci,
                                const char **ret_best);

#endif
