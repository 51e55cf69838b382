/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_TOOLKIT_CODE_H
#define MANIFEST_TOOLKIT_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strlist.h"
#include "base/version.h"

struct manifest;

/* manifests/code.json: which GPUs and drivers take compiled GPU code. */

/* A version of the PTX instruction set. */
struct manifest_ptx {
    const char *id;         /* "ptx/8.7" */
    struct version version; /* 8.7 */
    struct version cuda;    /* the first CUDA, of a toolkit or of a driver, that knows it */
    unsigned branch;        /* the driver branch that NVIDIA names beside it; 0: none */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* NULL when it is not listed. */
const struct manifest_ptx *manifest_ptx_find(struct manifest *manifest,
                                             const struct version *version);
/* Every version, oldest first. ret_count is always set. */
const struct manifest_ptx *manifest_ptx_all(struct manifest *manifest, size_t *ret_count);

/* A family of GPUs: code for 10.0f runs on these. */
struct manifest_family {
    const char *id;              /* "family/10.0f" */
    const char *family;          /* "10.0f" */
    struct strlist capabilities; /* "10.0", "10.3" */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* The family that begins with a compute capability. NULL when it is not listed. */
const struct manifest_family *manifest_family_find(struct manifest *manifest,
                                                   const struct version *capability);

/* A compute capability of integrated GPUs (Tegra, Jetson): machine code for other compute
 * capabilities of its major is not promised to run there, nor its own elsewhere. */
struct manifest_integrated {
    const char *id; /* "integrated/8.7" */
    struct version capability;
    const char *source;
    const char *confidence;
    const char *notes;
};
/* NULL when it is none. */
const struct manifest_integrated *manifest_integrated_find(struct manifest *manifest,
                                                           const struct version *capability);

/* How much code nvcc puts into a file without kernels. */
struct manifest_empty {
    const char *id;     /* "empty/sass-compressed" */
    const char *kind;   /* sass, ptx */
    const char *packed; /* yes, no */
    uint64_t bytes;     /* of one entry, at most */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* NULL: not listed. */
const struct manifest_empty *manifest_empty_find(struct manifest *manifest, const char *kind,
                                                 bool packed);

#endif
