/* SPDX-License-Identifier: MIT */
#ifndef REPORT_FIX_FIX_H
#define REPORT_FIX_FIX_H

#include "report/engine/report.h"

struct finding_fix;
struct strlist;
struct text;

/* What fixes the machine, as a POSIX shell script (docs/how-to/fix.md). Lines that run are commands
 * of findings that fail or warn and follow from no other; all else is a comment. */
void report_fix(const struct report_input *input, struct text *output);

/* Whether it would have anything to do or to decide. */
bool report_fix_any(const struct report_input *input);

/* What stands before the findings. runs: the script has a line that does; any: it has a finding. */
void fix_append_head(const struct report_input *input, bool runs, bool any, struct text *output);

/* The lines of a command: split at each && outside quotes. One line where splitting would change
 * its meaning: where there is also ||, ;, & or a newline. */
void fix_split(const char *command, struct strlist *lines);

/* The note without the "or" or "and" at its beginning, where what stands before it says that; NULL:
 * none. */
const char *fix_note(const struct finding_fix *fix);

#endif
