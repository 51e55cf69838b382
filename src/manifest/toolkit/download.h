/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_TOOLKIT_DOWNLOAD_H
#define MANIFEST_TOOLKIT_DOWNLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "base/strlist.h"
#include "base/version.h"

struct manifest;

/* manifests/download.json: single archives of products that NVIDIA has no redistrib files for, such
 * as the wheels of NCCL, each with its digest. pin.json lists the same versions: gpuenv makes a
 * list of archives of these rows (install/plan/own_catalog.h). */
struct manifest_download {
    const char *id;        /* "download/nccl-2.28.9-cuda12-linux-x86_64" */
    const char *product;   /* nccl */
    const char *component; /* what component.json calls the archive's content */
    struct version version;
    struct version cuda;  /* that it is made for: 12; count 0: for any */
    const char *platform; /* linux-x86_64, linux-sbsa */
    const char *file;     /* its name */
    const char *package;  /* of the Python index that has the file; NULL: none has */
    const char *url;      /* where NVIDIA has it; NULL: not known */
    uint64_t size;
    const char *sha256;
    const char *licence; /* to be accepted; NULL: a free one */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* Every row: by product, version, CUDA and platform. */
const struct manifest_download *manifest_downloads(struct manifest *manifest, size_t *ret_count);
/* The row with this SHA-256, as 64 small hexadecimal digits; NULL: none. */
const struct manifest_download *manifest_download_find(struct manifest *manifest,
                                                       const char *sha256);

#endif
