/* SPDX-License-Identifier: MIT */
#ifndef RULES_QUERY_REMAINING_H
#define RULES_QUERY_REMAINING_H

#include "facts/facts.h"

/* What may still be the cause, of a manifest row ("a; in a container b"), without what holds
 * elsewhere alone: "in a container …" on a machine, "in a virtual machine …" and "in a
 * confidential virtual machine …" outside of one or where its GPUs are set to ready, "with
 * NVSwitches …" or "with HMM …" without, "after a suspend …" where there was none. All of it
 * where nothing would be left. free() it. */
char *remaining_here(const struct facts *facts, const char *remaining);

#endif
