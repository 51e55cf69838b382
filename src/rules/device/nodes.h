/* SPDX-License-Identifier: MIT */
#ifndef RULES_DEVICE_NODES_H
#define RULES_DEVICE_NODES_H

#include "rules/engine/context.h"
#include "rules/engine/finding.h"

/* How grave it is that a module or node is not there yet, when the first CUDA program may make it:
 * nothing where nvidia-modprobe is setuid root. In a container it cannot. */
struct first_use {
    enum severity severity;
    bool healthy;    /* the first CUDA program makes it */
    const char *why; /* a clause about nvidia-modprobe */
};
struct first_use first_use(const struct rule_context *context);

#endif
