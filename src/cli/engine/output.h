/* SPDX-License-Identifier: MIT */
#ifndef CLI_ENGINE_OUTPUT_H
#define CLI_ENGINE_OUTPUT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

/* Takes the place of standard descriptors that are closed, so that no file opened later gets
 * their number; makes writing to a closed pipe an error rather than a signal. */
void output_prepare(void);

/* Writes all of text to stdout. False: ERROR_CANNOT_WRITE, without words when the reader of a pipe
 * has gone. */
bool output_stdout(const struct text *text, struct error *error);

/* Talk that is finished, on stderr. */
void output_stderr(const struct text *text);

/* The error on stderr: "program: what: where: why", and the next step on a second line; on a
 * terminal folded to its width. */
void output_error(const char *program, const struct error *error);

#endif
