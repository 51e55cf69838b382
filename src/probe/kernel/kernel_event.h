/* SPDX-License-Identifier: MIT */
#ifndef PROBE_KERNEL_KERNEL_EVENT_H
#define PROBE_KERNEL_KERNEL_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strlist.h"

/* What a line of the kernel's log says about GPUs, by the table in kernel_event.c. */

#define KERNEL_BUS_ID_SIZE 24

struct kernel_event {
    const char *name; /* "xid", "fallen_off_bus": a constant of the table */
    bool numbered;    /* xid, sxid */
    int64_t number;
    char bus_id[KERNEL_BUS_ID_SIZE]; /* "0000:01:00.0"; "" when the line names none */
};

/* Which pairs of neighbouring bytes a text has, hashed: what of a text is not in a line's pairs is
 * not in the line. Busy logs have some 20 000 lines, and nearly all are about nothing of the table.
 */
#define KERNEL_PAIR_WORDS 4
#define KERNEL_ROWS_MAX   96

struct kernel_pairs {
    uint64_t bits[KERNEL_PAIR_WORDS];
};

/* Reading a log line by line. The driver spreads sentences over lines, and its GPU's address may
 * stand in the line before. Start with {.watched = …}. */
struct kernel_reader {
    const struct strlist *watched; /* PCI addresses whose errors count, whatever driver has them:
                                      GPUs and the bridges above them */
    char last_bus_id[KERNEL_BUS_ID_SIZE];      /* of the driver's line before */
    struct kernel_pairs line;                  /* of the line that was read last */
    bool ready;                                /* the rest is made, by the first line */
    struct kernel_pairs rows[KERNEL_ROWS_MAX]; /* of the table */
};

/* The pairs of a text, added to those that are there; whether all of row are among those of line.
 */
void kernel_pairs_add(struct kernel_pairs *pairs, const char *text);
bool kernel_pairs_may_have(const struct kernel_pairs *line, const struct kernel_pairs *row);

/* The first PCI address in the line that is watched, else the first at all, as "0000:01:00.0".
 * False: there is none. */
bool kernel_address_find(const char *line, const struct strlist *watched,
                         char ret_bus_id[static KERNEL_BUS_ID_SIZE]);

/* False when the line is about nothing of the table. */
bool kernel_event_read(struct kernel_reader *reader, const char *line,
                       struct kernel_event *ret_event);

#endif
