/* SPDX-License-Identifier: MIT */
#ifndef PROPERTIES_PAIRS_H
#define PROPERTIES_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include "properties/bench.h"

/* One run over pairs of machines. */
struct pairs {
    uint64_t random;  /* state of the random numbers */
    uint64_t most;    /* how many pairs are judged */
    bool plant;       /* judges with a fault, which is to be found */
    const char *take; /* only this pair, as it is printed; NULL: any */
    size_t machines, variations, violations;
    size_t excluded; /* findings whose check says why it does not apply beside the other fault */
};

/* Puts the faults of two machines into one healthy machine, and prints each violation: code,
 * "beside" the other one, what is wrong, the machines, a reason. */
void pairs_check(struct pairs *pairs, struct machine *machines, size_t count);

#endif
