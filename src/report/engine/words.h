/* SPDX-License-Identifier: MIT */
#ifndef REPORT_ENGINE_WORDS_H
#define REPORT_ENGINE_WORDS_H

#include "base/error.h"
#include "rules/engine/finding.h"

/* A judgement in the words that several formats use. */

/* What a judgement comes to, with --strict: a warning then counts as a failure. */
enum format_state { STATE_OK, STATE_WARN, STATE_FAIL, STATE_UNKNOWN, STATE_COUNT };
enum format_state format_state(const struct judgement *judgement);

/* Whether the cause of it is another of the findings. */
bool format_is_consequence(const struct judgement *judgement, const struct finding *finding);

/* "1 problem, 2 warnings", "no problem found, 3 checks could not be decided"; a new string. */
char *format_counts(const struct judgement *judgement);

/* One line for the judgement: "DRV-004 user-space driver …" of the top finding, the reason of the
 * first undecided check, or that no problem was found; not made safe; a new string. */
char *format_headline(const struct judgement *judgement);

/* The first of these causes: "GPU-013 gpu_fell_off_bus, MOD-008 open_kmod_required"; the others are
 * counted. A new string; NULL where there are none. */
char *format_causes(const struct judgement *judgement, const struct strlist *causes);

/* The error in one line: "cannot use the manifest: x.json: not JSON"; a new string. */
char *format_error(const struct error *error);

/* string made safe for one line (text_append_safe()), at most so many bytes: what was cut ends with
 * "...", and no character or \xHH is cut in two. A new string; NULL gives "". */
char *format_line(const char *string, size_t most);

/* The same for a command, whose backslashes stay as they are: it can be copied. */
char *format_command(const char *command, size_t most);

#endif
