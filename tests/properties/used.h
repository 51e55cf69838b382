/* SPDX-License-Identifier: MIT */
#ifndef PROPERTIES_USED_H
#define PROPERTIES_USED_H

#include <stdbool.h>
#include <stddef.h>

#include "properties/bench.h"

/* Every word of an answer is used: which facts of the dictionary a rule, the resolver, a report or
 * another command asks for. Probes do not count: the machines are records. */
struct used {
    bool plant;   /* no question for the driver's version is noted: it must be found unread */
    bool *facts;  /* by the number of the row in fact_entries */
    size_t count; /* of rows */
    size_t machines;
};

/* Judges the machine, and runs the commands that read records on record, a path. Prints a line
 * "FACT<tab>MACHINE" for each fact that is asked for. */
void used_check(struct used *used, const struct machine *machine, const char *record);
/* Prints a line "FACT" for each fact that no machine asked for. Returns their number. */
size_t used_unread(const struct used *used);
void used_free(struct used *used);

#endif
