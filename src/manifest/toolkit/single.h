/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_TOOLKIT_SINGLE_H
#define MANIFEST_TOOLKIT_SINGLE_H

#include <stdbool.h>

#include "base/strlist.h"
#include "base/version.h"

struct manifest;
struct manifest_layout;

/* A release that is one archive with a layout, because no list of NVIDIA's names its archives: a
 * row of manifests/legacy.json, and the rows of legacy.layouts that say where its files go. */
struct manifest_single {
    const char *row;     /* id of the archive's row; NULL: it is not listed */
    const char *file;    /* its name; NULL: not known */
    const char *path;    /* on NVIDIA's server and on every mirror, "/compute/…"; NULL: none */
    const char *host;    /* NULL: developer.download.nvidia.com */
    const char *sha256;  /* NULL: not known */
    struct version cuda; /* that it was made for; count 0: it has none */
};

/* False: the product has no layout for that version. What is listed of its archive for that
 * platform (and CUDA, for products that have a build for each) is in *ret_single. */
bool manifest_single_find(struct manifest *manifest, const char *product,
                          const struct version *version, const struct version *cuda,
                          const char *platform, struct manifest_single *ret_single);

/* The next layout of a version after previous, NULL first; NULL: there is no more. */
const struct manifest_layout *manifest_single_layout(struct manifest *manifest, const char *product,
                                                     const struct version *version,
                                                     const struct manifest_layout *previous);

/* One of the product's archives with a known digest for that platform, by its place in the
 * manifest's list; false: there are no more. version is its release. What is listed by a pin too is
 * among them. Of cuda alone: other products have a build for each CUDA. */
bool manifest_single_at(struct manifest *manifest, const char *product, const char *platform,
                        size_t index, struct version *ret_version,
                        struct manifest_single *ret_single);

/* NVIDIA's address of the archive; NULL: not known. free() it. */
char *manifest_single_url(const struct manifest_single *single);

#endif
