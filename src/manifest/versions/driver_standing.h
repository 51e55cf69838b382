/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_VERSIONS_DRIVER_STANDING_H
#define MANIFEST_VERSIONS_DRIVER_STANDING_H

#include "base/version.h"

struct manifest;
struct manifest_branch;
struct manifest_cuda;
struct manifest_cuda_major;

/* How a driver stands to a CUDA version. NVIDIA, "CUDA Compatibility": a newer driver runs every
 * older CUDA; an older one runs newer minors of its major from a floor on. */
enum standing {
    STANDING_EXACT,   /* at least the toolkit's own minimum, or of its CUDA driver API version */
    STANDING_MINOR,   /* runs it through minor-version compatibility */
    STANDING_TOO_OLD, /* does not run it */
    STANDING_UNKNOWN, /* no number to compare with */
};

/* The standing and the rows it rests on; each may be NULL. */
struct comparison {
    enum standing standing;
    const struct manifest_cuda *cuda;
    const struct manifest_cuda_major *major;
    const struct manifest_branch *branch; /* the driver's */
};

/* cuda may be a toolkit's version (12.8, 12.8.1), that of its libcudart (12.8.90), or a major alone
 * (12, where a file's name tells no more): then a driver that runs any of that major is enough. */
struct comparison driver_compare(struct manifest *manifest, const struct version *driver,
                                 const struct version *cuda);

/* The same where libcuda, when called, told the CUDA driver API version (count 0: it was not
 * asked): what a driver says of itself is surer than what is listed for its release. driver may be
 * unknown (count 0) then. */
struct comparison driver_compare_told(struct manifest *manifest, const struct version *driver,
                                      const struct version *api, const struct version *cuda);

#endif
