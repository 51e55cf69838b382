/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_VERSIONS_DRIVER_H
#define MANIFEST_VERSIONS_DRIVER_H

#include <stddef.h>

#include "base/version.h"

struct manifest;

/* A driver branch. */
struct manifest_branch {
    const char *id;
    unsigned branch;                 /* 570 */
    struct version cuda;             /* CUDA driver API version: 12.8 */
    const char *kind;                /* legacy, lts, production, new-feature, evaluation */
    const char *first_release;       /* 2025-01-27, or 2025-01 */
    const char *eol;                 /* likewise: when NVIDIA's support ends */
    struct version latest;           /* newest release seen: 570.211.01 */
    const char *oldest_architecture; /* Maxwell */
    struct version capability_min;   /* oldest compute capability it drives */
    const char *open_module;         /* no, offered, default, blackwell (required there), only */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* Every branch, oldest first. ret_count is always set. */
const struct manifest_branch *manifest_branch_all(struct manifest *manifest, size_t *ret_count);
/* The branch of a driver version; NULL when it is not listed. */
const struct manifest_branch *manifest_branch_find(struct manifest *manifest,
                                                   const struct version *driver);
/* The newest listed branch, of those with a release, that drives compute capability (count 0: any);
 * NULL when none does, or when the capability is newer than every listed one. */
const struct manifest_branch *manifest_branch_newest(struct manifest *manifest,
                                                     const struct version *capability);
/* The first branch whose CUDA driver API version is at least cuda, of which major and minor count
 * (12.8.1 is 12.8). */
const struct manifest_branch *manifest_branch_for_cuda(struct manifest *manifest,
                                                       const struct version *cuda);

#endif
