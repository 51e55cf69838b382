/* SPDX-License-Identifier: MIT */
#ifndef RULES_DRIVER_DRIVER_GPU_H
#define RULES_DRIVER_DRIVER_GPU_H

#include "rules/query/judged.h"

struct rule_context;

/* Part of driver_too_old: finds each GPU that is newer than the driver, so that the driver does not
 * know it. On the bus only GPUs that no kernel driver holds count: one that is held is known. */
void driver_find_newer_gpus(struct rule_context *context, const struct judged_driver *driver);
/* True when every GPU of the bus is newer than the driver, whose module then does not stay loaded.
 */
bool driver_knows_no_gpu(const struct rule_context *context);

/* True when the kernel's nova driver holds a GPU. */
bool driver_nova_holds(const struct facts *facts);
/* The name of the next installed package of a driver, from *cursor on; NULL: there is no more. */
const char *driver_package_next(const struct facts *facts, size_t *cursor);
/* True when nothing of an NVIDIA driver is there, as far as that is known. */
bool driver_is_absent(const struct facts *facts);

/* The kernel's own driver ("nouveau", "nova_core") that is loaded although the kernel's command
 * line keeps it from loading by itself, in the initramfs too: the system loaded it by name, because
 * nvidia had not started (nvidia-fallback.service of RPM Fusion). NULL: none is, or no driver of
 * NVIDIA's is installed that could have started. */
const char *driver_fallback(const struct facts *facts);

#endif
