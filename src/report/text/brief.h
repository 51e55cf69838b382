/* SPDX-License-Identifier: MIT */
#ifndef REPORT_TEXT_BRIEF_H
#define REPORT_TEXT_BRIEF_H

#include "report/engine/report.h"

/* The page of `gpuenv doctor` without -v and -q: the answer first, then what the machine has. It is
 * at most BRIEF_ROWS long (BRIEF_ROWS_OK where nothing is wrong), so that a terminal of 24 lines
 * shows all of it. What has no room is left out, the least important first; a page that is longer
 * all the same ends with the cause and its fix again. */
#define BRIEF_ROWS    22
#define BRIEF_ROWS_OK 12
void report_brief(const struct report_input *input, struct text *output);

#endif
