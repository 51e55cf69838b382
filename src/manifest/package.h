/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_PACKAGE_H
#define MANIFEST_PACKAGE_H

#include "manifest/manifest.h"

/* manifests/package.json: where a distribution's driver packages are, and what they are called. */

/* How one distribution release gets one kind of driver. BRANCH in packages and commands stands for
 * the branch's number. */
struct manifest_package {
    const char *id;         /* "package/ubuntu-24.04-open" */
    const char *system;     /* ID of os-release: ubuntu, debian */
    struct version release; /* VERSION_ID, or its beginning; count 0: any */
    const char *repository; /* distribution, nvidia */
    const char *flavour;    /* open, proprietary: of the kernel module */
    const char *use;        /* desktop, server (no graphics libraries) */
    unsigned branch_min;    /* the branches that are packaged so; 0: no bound */
    unsigned branch_max;
    struct strlist packages; /* "nvidia-driver-BRANCH-open" */
    struct strlist commands; /* to install it, in order, without sudo */
    const char *source;
    const char *confidence;
    const char *notes;
};
const struct manifest_package *manifest_packages(struct manifest *manifest, size_t *ret_count);

#endif
