/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_GPU_DEVICE_H
#define MANIFEST_GPU_DEVICE_H

#include <stddef.h>

#include "base/strlist.h"
#include "base/version.h"

struct manifest;
struct manifest_gpu;

/* What public lists say of PCI device ids: manifests/device.json. */

/* A chip, which has one compute capability. */
struct manifest_chip {
    const char *id;
    const char *chip; /* "GA106" */
    const char *architecture;
    struct version capability; /* count 0: no source gives it */
    const char *source;
    const char *confidence;
    const char *notes;
};

/* From which release of a driver branch on the open kernel modules list GPUs. It holds for later
 * branches as well, from their first release on, unless they have a row of their own. */
struct manifest_listed {
    const char *id;
    unsigned branch;
    struct version release; /* count 0: no release of the branch lists them */
    struct strlist device_ids;
    const char *source;
    const char *confidence;
    const char *notes;
};
enum manifest_listing { LISTING_UNKNOWN, LISTING_YES, LISTING_NO };
/* Whether that release of the driver lists the GPU. Not listed is no proof: some GPUs are driven
 * long before they are listed. UNKNOWN: the table does not have the id, or not so old a branch.
 * ret_row gets the row that says so, NULL where there is none; ret_first the first release after
 * that driver which lists the GPU, else the first of all. Both may be NULL. */
enum manifest_listing manifest_device_listing(struct manifest *manifest, const char *device_id,
                                              const struct version *driver,
                                              const struct manifest_listed **ret_row,
                                              const struct version **ret_first);

#endif
