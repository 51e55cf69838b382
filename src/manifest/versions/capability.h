/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_VERSIONS_CAPABILITY_H
#define MANIFEST_VERSIONS_CAPABILITY_H

#include <stddef.h>

#include "base/strlist.h"
#include "base/version.h"

struct manifest;

/* A compute capability. */
struct manifest_capability {
    const char *id;
    struct version capability;            /* 9.0 */
    const char *sm;                       /* sm_90 */
    const char *architecture;             /* Hopper */
    const char *variant;                  /* Orin */
    struct strlist boards;                /* a few that have it */
    struct version first_cuda, last_cuda; /* last_cuda count 0: still supported */
    struct version dropped_in;            /* the first toolkit without it */
    unsigned first_branch, last_branch;   /* 0: unknown, or still supported */
    struct version renamed_to;            /* 10.1 is called 11.0 in newer toolkits */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* Every capability, lowest first. ret_count is always set. */
const struct manifest_capability *manifest_capability_all(struct manifest *manifest,
                                                          size_t *ret_count);
const struct manifest_capability *manifest_capability_find(struct manifest *manifest,
                                                           const struct version *capability);

/* A GPU architecture: which kernel module drives it. */
struct manifest_architecture {
    const char *id;
    const char *architecture;       /* Hopper */
    struct strlist capabilities;    /* "9.0" */
    unsigned last_branch;           /* 0: still supported */
    const char *open_module;        /* no, yes, required */
    unsigned open_module_from;      /* first branch with it */
    const char *proprietary_module; /* no, yes, required */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* The architecture whose list has the compute capability. NULL when none has: integrated GPUs
 * (7.2, 8.7) are not listed, their driver is another one. */
const struct manifest_architecture *manifest_architecture_find(struct manifest *manifest,
                                                               const struct version *capability);
/* The newest compute capability listed, NULL when none is. */
const struct manifest_capability *manifest_capability_newest(struct manifest *manifest);

#endif
