/* SPDX-License-Identifier: MIT */
#ifndef PROPERTIES_PLACE_H
#define PROPERTIES_PLACE_H

#include "properties/bench.h"

struct place_run {
    bool plant; /* judges as if WSL were a machine, which is to be found */
    uint64_t random, share;
    size_t machines, variations, violations;
};

/* In WSL no fix is one for a Linux host with a driver of its own. Judges each machine of WSL among
 * machines for each purpose: as it is, with each fact taken away or turned, with each error number,
 * and with each kind of facts of each other machine; of the last a share of a million. Prints each
 * fix that names what only such a host has: "place", what was changed, the machine, the fix. */
void place_check(struct place_run *run, const struct machine *machines, size_t count);

#endif
