/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_TOOLKIT_PIN_H
#define MANIFEST_TOOLKIT_PIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strlist.h"
#include "base/version.h"

struct manifest;

/* manifests/pin.json: which redistrib_X.Y.Z.json files of NVIDIA are known, and how each is proved.
 * A version without a pin is installed only with --allow-unpinned.
 *
 * The digest of a content pin is the sha256 of text made from the file. An entry is an object, at
 * any depth below the root, with a member relative_path: it gives one line
 *
 *     relative_path SPACE sha256 SPACE size LF
 *
 * of the three strings as they stand there. The lines are sorted by their bytes (memcmp), a line
 * that is there twice is taken once, and nothing stands between or after them. Objects inside an
 * entry are entries of their own: the flat archive and the nested "cuda13" of one platform both
 * count (cuDNN 9.27.0, windows-arm64). There is no digest of a file that has no entry, an entry
 * whose relative_path is not of bytes 0x21 to 0x7e, whose sha256 is not 64 small hexadecimal
 * digits or whose size is not a string of decimal digits without a leading zero, or one
 * relative_path with two digests or sizes: such a file is refused. docs/reference/manifest.md has
 * an example. tests/program/pin-digests and scripts/manifest-add calculate it likewise. */
struct manifest_pin {
    const char *id;            /* "pin/cuda-12.8.1" */
    const char *product;       /* cuda, cudnn, cutensor …: as in the path */
    struct version version;    /* of the file's name: 12.8.1, 9.10.2, 8.9.7.29 */
    const char *pin;           /* file: sha256 of the file; content: of its entries; none: known
                                  to exist, not proved */
    const char *sha256;        /* 64 hexadecimal digits; NULL for none */
    uint64_t size;             /* of the file in bytes, of a file pin alone; 0: unknown */
    const char *path;          /* "/compute/cuda/redist/redistrib_12.8.1.json" */
    const char *date;          /* release date that the file states */
    struct strlist platforms;  /* "linux-x86_64" …: those with archives; empty: unknown */
    struct strlist variants;   /* CUDA versions that some of its archives are for alone ("12",
                                  "13.1"); empty: none, unknown */
    struct version superseded; /* the version whose file is to be taken instead; count 0: none */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* Every row: by product, oldest version first. ret_count is always set. */
const struct manifest_pin *manifest_pin_all(struct manifest *manifest, size_t *ret_count);
/* The row of exactly that version (12.8 is not 12.8.0); NULL when not listed. */
const struct manifest_pin *manifest_pin_find(struct manifest *manifest, const char *product,
                                             const struct version *version);
/* The product's oldest row: NVIDIA has no such file of older versions. NULL: none is listed. */
const struct manifest_pin *manifest_pin_oldest(struct manifest *manifest, const char *product);
/* True when it is pinned by file or by content. */
bool manifest_pin_is_pinned(const struct manifest_pin *pin);
/* True when a product of that name is listed. */
bool manifest_pin_product(struct manifest *manifest, const char *product);

#endif
