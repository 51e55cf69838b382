/* SPDX-License-Identifier: MIT */
#ifndef REPORT_MACHINE_SUMMARY_PRIVATE_H
#define REPORT_MACHINE_SUMMARY_PRIVATE_H

#include "report/machine/summary.h"

struct strlist;
struct text;

/* What the blocks' summaries are put together from. */

/* Says why a fact has no value: true when there is something to say. */
bool summary_append_gap(const struct facts *facts, const char *group, const char *name,
                        struct text *sentence);
/* Adds where the fact is from, once. */
void summary_add_source(const struct facts *facts, const char *group, const char *name,
                        struct strlist *sources);
/* The separator, unless the sentence begins here. */
void summary_append_separator(struct text *sentence, const char *separator);

/* The GPUs: those on the bus or assumed, else those that the driver lists. */
void summary_gpu(const struct report_input *input, struct text *sentence, struct strlist *sources);

#endif
