/* SPDX-License-Identifier: MIT */
#ifndef REPORT_ENGINE_MARK_H
#define REPORT_ENGINE_MARK_H

#include <stdbool.h>

#include "base/text.h"
#include "rules/engine/finding.h"

/* What stands at the start of a line of the text report. */
enum mark { MARK_NONE, MARK_OK, MARK_INFO, MARK_WARN, MARK_FAIL, MARK_SKIP, MARK_UNKNOWN };

enum mark mark_of_severity(enum severity severity);

/* Appends the mark, padded to mark_width() columns: a word, or with colour a sign. */
void mark_append(struct text *output, enum mark mark, bool colour);
unsigned mark_width(bool colour);

/* The word in bold and in the mark's colour; without colour as it is. */
void mark_append_word(struct text *output, enum mark mark, const char *word, bool colour);
/* Begins or ends what is less important; nothing without colour. */
enum dim { DIM_BEGIN, DIM_END };
void mark_dim(struct text *output, enum dim dim, bool colour);

#endif
