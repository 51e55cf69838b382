/* SPDX-License-Identifier: MIT */
#ifndef PROPERTIES_NOISE_H
#define PROPERTIES_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#include "properties/bench.h"

struct noise_run {
    bool plant;       /* judges with a fault, which is to be found */
    const char *kind; /* only this kind of noise; NULL: all */
    size_t machines, variations, violations;
};

/* Adds what does not concern the GPU stack to the machine's record, one kind at a time, and prints
 * each judgement that changes: "noise", the kind, what is wrong, the machine, the finding. */
void noise_check(struct noise_run *run, const struct machine *machine);

#endif
