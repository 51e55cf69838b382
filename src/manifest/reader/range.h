/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_READER_RANGE_H
#define MANIFEST_READER_RANGE_H

#include <stdbool.h>

#include "base/version.h"

/* Every row: id names it in messages and JSON ("cuda/12.8.1"), source says where it is from (the
 * citations, joined with "; "), confidence is high, medium or low, notes may be NULL. The rows
 * belong to the manifest. An empty cell is a version with count 0, a NULL string, an empty list or
 * the number 0: unknown, never a guess. */

/* Versions from one on and below another. A bound with count 0 is none. */
struct manifest_range {
    struct version from, below;
};
bool manifest_range_has(const struct manifest_range *range, const struct version *version);

#endif
