/* SPDX-License-Identifier: MIT */
#ifndef REPORT_MACHINE_FRAMEWORK_LIST_H
#define REPORT_MACHINE_FRAMEWORK_LIST_H

#include "base/strlist.h"
#include "report/engine/report.h"

struct text;

/* What the block of frameworks is about: the one there is, or how many. */
void framework_list_summary(const struct report_input *input, struct text *sentence,
                            struct strlist *sources);

/* A line for each of the first FRAMEWORKS_SHOWN, those of the active environment first; the last
 * one counts the others. */
#define FRAMEWORKS_SHOWN 2
void framework_list_lines(const struct facts *facts, struct strlist *lines);

/* One line for each, behind indent columns, where there are several. */
void framework_list_append(const struct report_input *input, unsigned indent, struct text *output);

#endif
