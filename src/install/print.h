/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PRINT_H
#define INSTALL_PRINT_H

#include "install/run.h"
#include "install/verify.h"
#include "base/json.h"

/* What gpuenv-install says of its results, as text for a person or as JSON in gpuenv's envelope
 * (docs/formats.md). */
void print_plan(const struct run *run, bool installed, struct text *output);
void print_nothing_to_do(const struct run *run, struct text *output);
void print_verification(const struct run *run, const struct verification *found,
                        struct text *output);
void print_uninstalled(const struct run *run, const struct strlist *kept, struct text *output);
/* Looks for prefixes in the usual places, and at the request's. */
bool print_list(struct run *run, struct text *output, struct error *error);

/* "512 kB", "1.4 GB": powers of ten, as the mirrors state sizes. */
#define PRINT_SIZE 24
const char *print_size(uint64_t bytes, char buffer[static PRINT_SIZE]);
/* The start of every JSON answer; the caller owns it. */
json_t *print_envelope(const struct run *run);
bool print_is_json(const struct run *run);

#endif
