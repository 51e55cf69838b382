/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_PACKAGE_SYSTEM_H
#define MANIFEST_PACKAGE_SYSTEM_H

#include "base/strlist.h"
#include "base/version.h"

struct manifest;

/* manifests/system.json: the distributions that NVIDIA lists for CUDA and for the driver. */
struct manifest_os_list {
    const char *id;           /* "system/cuda-12.8.1-image", "system/driver-guide" */
    const char *product;      /* cuda, driver */
    struct version version;   /* of CUDA: 12.8.1, or 11.2 for all of it; count 0: the driver */
    const char *kind;         /* guide: of an installation guide; image: container images */
    struct strlist ubuntu;    /* "22.04" */
    struct strlist debian;    /* "12" */
    struct strlist rhel;      /* "8": all of 8.x */
    struct strlist other;     /* ID and VERSION_ID of os-release: "amzn 2023", "sles 15.6" */
    struct version glibc_min; /* the lowest among them; count 0: unknown */
    const char *source;
    const char *confidence;
    const char *notes;
};

enum manifest_support {
    SUPPORT_UNKNOWN,    /* nothing is known of that CUDA, or the system tells no release */
    SUPPORT_LISTED,     /* *ret_row lists it */
    SUPPORT_NOT_LISTED, /* *ret_row and the others of that CUDA do not. That is no "no": images are
                           those that NVIDIA builds, and not every guide was seen whole */
};
/* Whether a system is listed for a CUDA version (12.8.1; 12.8 for any of its releases; count 0: for
 * the driver). A release without a row of its own is taken as the nearest earlier one of its minor.
 * os_id and os_release are ID and VERSION_ID of os-release, NULL where it has none. ret_row is set
 * to NULL where the answer is unknown. */
enum manifest_support manifest_system_find(struct manifest *manifest, const struct version *cuda,
                                           const char *os_id, const char *os_release,
                                           const struct manifest_os_list **ret_row);

#endif
