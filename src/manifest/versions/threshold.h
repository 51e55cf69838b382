/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_VERSIONS_THRESHOLD_H
#define MANIFEST_VERSIONS_THRESHOLD_H

#include <stddef.h>
#include <stdint.h>

#include "base/version.h"

struct manifest;

/* manifests/threshold.json: the numbers that a finding begins at, where no vendor's table has them.
 * A row has one of bytes, percent and version. */
struct manifest_threshold {
    const char *id;   /* "threshold/installer-tmp" */
    const char *name; /* installer-tmp */
    uint64_t bytes;   /* 0: it is no size; at most INT64_MAX */
    unsigned percent; /* 0: it is no share */
    struct version version;
    const char *finding; /* the cause (slug) that it decides about */
    const char *meaning; /* a clause */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* Every row, by name. */
const struct manifest_threshold *manifest_threshold_all(struct manifest *manifest,
                                                        size_t *ret_count);
/* NULL: not listed. */
const struct manifest_threshold *manifest_threshold_find(struct manifest *manifest,
                                                         const char *name);

#endif
