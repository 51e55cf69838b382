/* SPDX-License-Identifier: MIT */
#ifndef CLI_EXPLAIN_EXPLAIN_INPUT_H
#define CLI_EXPLAIN_EXPLAIN_INPUT_H

#include <stdbool.h>

#include "base/error.h"

struct explainer;

/* Reads a file, packed with gzip, xz or zstd or not, or with "-" standard input, to its end. False:
 * ERROR_NO_INPUT. */
bool explain_read(const char *path, struct explainer *explainer, struct error *error);

/* Whether something is given on standard input: no terminal, and a first byte within two seconds. A
 * script whose standard input is a pipe that nobody writes to is not kept waiting. */
bool explain_input_is_given(void);

#endif
