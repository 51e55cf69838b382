/* SPDX-License-Identifier: MIT */
#ifndef PROPERTIES_YARDSTICK_H
#define PROPERTIES_YARDSTICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "properties/bench.h"

/* One run over machines. */
struct yardstick {
    uint64_t random;  /* state of the random numbers */
    uint64_t share;   /* how many of a million variations are run */
    bool plant;       /* judges with a fault, which is to be found */
    const char *take; /* only this variation, as it is printed; NULL: all */
    size_t machines, variations, violations;
};

/* Takes away what the rules asked for on this machine, one at a time, and prints each violation:
 * code, what was taken, what is wrong, machine, the reason that the check gave. */
void yardstick_check(struct yardstick *yardstick, const struct machine *machine);

/* The same with the rows of the manifest that were looked up: "error.errors ID". */
void yardstick_check_rows(struct yardstick *yardstick, const struct machine *machine);

#endif
