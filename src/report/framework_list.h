/* SPDX-License-Identifier: MIT */
#ifndef REPORT_FRAMEWORK_LIST_H
#define REPORT_FRAMEWORK_LIST_H

#include "base/strlist.h"
#include "report/report.h"

struct text;

/* What the block of frameworks is about: the one there is, or how many. */
void framework_list_summary(const struct report_input *input, struct text *sentence,
                            struct strlist *sources);

/* One line for each, behind indent columns, where there are several: those of the active
 * environment first; more than FRAMEWORKS_SHOWN only in a verbose report. */
#define FRAMEWORKS_SHOWN 8
void framework_list_append(const struct report_input *input, unsigned indent, struct text *output);

#endif
