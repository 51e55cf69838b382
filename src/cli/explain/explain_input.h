/* SPDX-License-Identifier: MIT */
#ifndef CLI_EXPLAIN_EXPLAIN_INPUT_H
#define CLI_EXPLAIN_EXPLAIN_INPUT_H

#include <stdbool.h>

#include "base/error.h"

struct explainer;

/* Reads a file, packed with gzip, xz or zstd or not, or with "-" standard input, to its end. False:
 * ERROR_NO_INPUT. */
bool explain_read(const char *path, struct explainer *explainer, struct error *error);

#endif
