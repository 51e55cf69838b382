/* SPDX-License-Identifier: MIT */
#ifndef RULES_DRIVER_DRIVER_TOLD_H
#define RULES_DRIVER_DRIVER_TOLD_H

#include <stdbool.h>

struct rule_context;

/* driver_library_mismatch of a machine whose libraries were not seen (--from), by what the driver
 * itself says: its line in the log, or what a library answered (answered). True: it was found. */
bool driver_mismatch_told(struct rule_context *context, bool answered);

#endif
