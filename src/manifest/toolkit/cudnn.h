/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_TOOLKIT_CUDNN_H
#define MANIFEST_TOOLKIT_CUDNN_H

#include <stddef.h>

#include "base/strlist.h"
#include "base/version.h"

struct manifest;

/* manifests/cudnn.json: releases of cuDNN, what each one pairs with, and its libraries. */

/* A release. */
struct manifest_cudnn {
    const char *id;         /* "cudnn/9.10.2" */
    struct version version; /* 9.10.2, as NVIDIA labels it; two or three numbers */
    struct version build;   /* 9.10.2.21; count 0: unknown */
    const char *stage;      /* "preview" where it is one; NULL: a release */
    const char *date;
    const char *source;
    const char *confidence;
    const char *notes;
};
/* Every release, oldest first. */
const struct manifest_cudnn *manifest_cudnn_all(struct manifest *manifest, size_t *ret_count);
/* The release of that number; for fewer numbers ("9") the newest in it that is no preview; for a
 * build (9.10.2.21) its release. NULL when not listed. */
const struct manifest_cudnn *manifest_cudnn_find(struct manifest *manifest,
                                                 const struct version *version);

/* What a release pairs with: one row for each CUDA that it is built for. Up to 8.3 there is a build
 * for each CUDA minor, from 8.4.0 on one for a whole major (10.2 apart). A row with a capability
 * adds what GPUs of that one ask for: that minor of CUDA or a later one, and its own driver. */
struct manifest_cudnn_pair {
    const char *id;            /* "cudnn/9.10.2+cuda12", "cudnn/9.25.0+cuda13.4:10.7" */
    struct version cudnn;      /* 9.10.2, as the release has it */
    struct version cuda;       /* 12: all of 12.x; 10.1: that minor alone */
    struct version capability; /* for GPUs of that one alone; count 0: for all others */
    struct strlist listed;     /* "12.0" …: the minors that its matrix names; empty: unknown */
    struct version driver_min; /* 525.60.13, or a branch (450); count 0: unknown */
    struct version capability_min; /* lowest compute capability; count 0: unknown */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* Every pair: by release, oldest first, then by CUDA version and compute capability. */
const struct manifest_cudnn_pair *manifest_cudnn_pairs(struct manifest *manifest,
                                                       size_t *ret_count);
/* The pair of a release and a CUDA version (12.8.1, 12.8, 12): the row for its minor, else for its
 * major; for a major alone that is built minor by minor the newest of them. Never one with a
 * capability. NULL: not built for that CUDA, or the release is not listed. */
const struct manifest_cudnn_pair *manifest_cudnn_pair_find(struct manifest *manifest,
                                                           const struct version *cudnn,
                                                           const struct version *cuda);
/* What GPUs of that compute capability ask for beside pair; NULL: nothing of their own. */
const struct manifest_cudnn_pair *manifest_cudnn_pair_for(struct manifest *manifest,
                                                          const struct manifest_cudnn_pair *pair,
                                                          const struct version *capability);
/* Where the lowest compute capability of a pair is stated: in it, else in the pair of the nearest
 * earlier release with that CUDA. Support that was dropped does not come back: a GPU below is not
 * supported. Of one at or above it, that is known only where it is the pair itself. NULL: nowhere.
 */
const struct manifest_cudnn_pair *manifest_cudnn_pair_floor(struct manifest *manifest,
                                                            const struct manifest_cudnn_pair *pair);

/* The wheel that brings cuDNN for a CUDA major to pip. */
struct manifest_cudnn_wheel {
    const char *id;      /* "cudnn/nvidia-cudnn-cu12" */
    unsigned cuda;       /* 12 */
    const char *package; /* nvidia-cudnn-cu12 */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* NULL: none is listed. */
const struct manifest_cudnn_wheel *manifest_cudnn_wheel_find(struct manifest *manifest,
                                                             unsigned cuda);

#endif
