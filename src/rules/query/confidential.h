/* SPDX-License-Identifier: MIT */
#ifndef RULES_QUERY_CONFIDENTIAL_H
#define RULES_QUERY_CONFIDENTIAL_H

#include <stdbool.h>

#include "facts/facts.h"

/* Confidential computing: the virtual machine's, and that of its GPUs. */

/* Whether this is a confidential virtual machine, or NVML says that the GPUs' mode is on. */
bool confidential_is(const struct facts *facts);

/* Whether NVML proves that the GPUs accept no work, since nobody has set them to ready. */
bool confidential_waits(const struct facts *facts);

#endif
