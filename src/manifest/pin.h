/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_PIN_H
#define MANIFEST_PIN_H

#include "manifest/manifest.h"

/* manifests/pin.json: which redistrib_X.Y.Z.json files of NVIDIA are known, and how each is proved.
 * A version without a pin is installed only with --allow-unpinned. */
struct manifest_pin {
    const char *id;           /* "pin/cuda-12.8.1" */
    const char *product;      /* cuda, cudnn, cutensor … */
    struct version version;   /* of the file's name: 12.8.1, 9.10.2, 8.9.7.29 */
    const char *pin;          /* file: sha256 of the file; content: of its entries; none: known
                                 to exist, not proved */
    const char *sha256;       /* 64 hexadecimal digits; NULL for none */
    uint64_t size;            /* of the file in bytes; 0: unknown */
    const char *path;         /* "/compute/cuda/redist/redistrib_12.8.1.json" */
    const char *date;         /* release date that the file states */
    struct strlist platforms; /* "linux-x86_64" …: those with archives; empty: unknown */
    struct strlist variants;  /* CUDA variants of its archives ("12", "13"); empty: none, unknown */
    struct version superseded; /* the version whose file is to be taken instead; count 0: none */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* Every row: by product, oldest version first. */
const struct manifest_pin *manifest_pin_all(struct manifest *manifest, size_t *ret_count);
/* The row of exactly that version; NULL when not listed. */
const struct manifest_pin *manifest_pin_find(struct manifest *manifest, const char *product,
                                             const struct version *version);
/* True when it is pinned by file or by content. */
bool manifest_pin_is_pinned(const struct manifest_pin *pin);
/* True when a product of that name is listed. */
bool manifest_pin_product(struct manifest *manifest, const char *product);

#endif
