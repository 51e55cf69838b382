/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PRINT_H
#define INSTALL_PRINT_H

#include "base/json.h"
#include "install/run.h"
#include "install/verify.h"

/* What gpuenv-install says of its results, as text for a person (folded to the terminal) or as JSON
 * in gpuenv's envelope (docs/formats.md). */

/* run->plan is what would be done, what was done, or what was there already. */
enum print_outcome { PRINT_PLANNED, PRINT_INSTALLED, PRINT_NOTHING_TO_DO };
void print_plan(const struct run *run, enum print_outcome outcome, struct text *output);
void print_plan_json(const struct run *run, enum print_outcome outcome, struct text *output);
/* What mirror did, or would do: so many bytes came in so many files. */
void print_mirror(const struct run *run, uint64_t came, size_t files, struct text *output);
void print_verification(const struct run *run, const struct verification *found,
                        struct text *output);
/* gone: the products; kept: paths in the prefix. */
void print_uninstalled(const struct run *run, const struct ledger *gone, const struct strlist *kept,
                       struct text *output);
/* What was changed by hand, as notes on stderr. */
void print_changed_files(const struct run *run, const struct changed_files *files);
/* Of a prefix with an uninstall or a change that was begun and not ended: that, and what ends it.
 */
void print_unfinished(const struct prefix *prefix, struct text *output);
/* Looks for prefixes in the usual places, and at the request's. */
bool print_list(struct run *run, struct text *output, struct error *error);

/* "512 B", "1.4 GB": powers of ten, as the mirrors state sizes. */
#define PRINT_SIZE 24
const char *print_size(uint64_t bytes, char buffer[static PRINT_SIZE]);
/* "cuda 12.8.1", "cudnn 9.8.0 for CUDA 12"; cuda: "12", also with "cuda" before it, or NULL. */
char *print_product(const char *product, const char *version, const char *cuda);
/* "cuda 12.8.1, profile full; cudnn 9.8.0 for CUDA 12, profile full"; free() it. */
char *print_contents(const struct ledger *ledger);
/* "1 file", "2 files"; plural NULL: one more s. free() it. */
char *print_count(size_t count, const char *one, const char *plural);
/* The start of every JSON answer; the caller owns it. */
json_t *print_envelope(const struct run *run);
json_t *print_products_json(const struct ledger *ledger); /* likewise */
bool print_is_json(const struct run *run);

#endif
