/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_VERSIONS_CUDA_H
#define MANIFEST_VERSIONS_CUDA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/version.h"
#include "manifest/reader/range.h"

struct manifest;

/* A CUDA toolkit release. */
struct manifest_cuda {
    const char *id;
    struct version version;        /* 12.8.1 */
    const char *release;           /* "12.8 Update 1": from 13.4 on not what the patch digit says */
    const char *stage;             /* preview, rc, ga, update */
    const char *date;              /* 2025-03-06, or 2025-03 */
    struct version driver_min;     /* the toolkit's own minimum driver on Linux */
    struct version driver_bundled; /* the driver that its Linux runfile brings */
    const char *ships_driver;      /* yes, no */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* The release itself, or for fewer parts ("12.8") its first one that is not a preview or release
 * candidate. NULL when not listed. */
const struct manifest_cuda *manifest_cuda_find(struct manifest *manifest,
                                               const struct version *version);

/* Every release, oldest first. ret_count is always set. */
const struct manifest_cuda *manifest_cuda_all(struct manifest *manifest, size_t *ret_count);
/* True for a preview or release candidate: never chosen unless it is named. */
bool manifest_cuda_is_early(const struct manifest_cuda *release);

/* Minor-version compatibility of a CUDA major. */
struct manifest_cuda_major {
    const char *id;
    unsigned major;
    struct version driver_min;         /* count 0: no minor-version compatibility */
    struct manifest_range table_range; /* as NVIDIA prints it; a newer driver works all the same */
    const char *source;
    const char *confidence;
    const char *notes;
};
const struct manifest_cuda_major *manifest_cuda_major_find(struct manifest *manifest,
                                                           unsigned major);

#endif
