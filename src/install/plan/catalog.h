/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PLAN_CATALOG_H
#define INSTALL_PLAN_CATALOG_H

#include "base/strlist.h"
#include "base/version.h"
#include "install/io/digest.h"

struct error;
struct manifest;
struct manifest_layout;

/* NVIDIA's redistrib_X.Y.Z.json: what one release of a product consists of. Untrusted until its pin
 * has been checked, and read strictly all the same. Schema and quirks: docs/background/redist.md.
 */
#define CATALOG_MAX (1u << 20)

/* One archive. */
struct catalog_entry {
    char *platform; /* linux-x86_64, linux-sbsa, linux-aarch64, linux-all, source … */
    char *variant;  /* "cuda12", "cuda13.1"; NULL: none */
    char *url;      /* of the archive of a release without a list: NVIDIA's own; may be NULL */
    char *path;     /* relative_path, below the directory of the redistrib file */
    uint64_t size;
    struct digest sha256;
    const struct manifest_layout *layout; /* it is the archive of a release without a list: path is
                                             below a mirror, and size 0 is not known */
    char *problem; /* NULL, or why this entry may not be used (M06, M08): it then has no digest */
};
struct catalog_component {
    char *key; /* "cuda_nvcc" */
    char *name;
    char *version;      /* "12.8.93"; may be NULL */
    char *license;      /* "CUDA Toolkit"; may be NULL */
    char *license_path; /* may be NULL */
    struct catalog_entry *entries;
    size_t entry_count, entry_capacity;
};
struct catalog {
    char *name;                     /* what errors call it: its URL or path */
    char *product, *release, *date; /* as the file states them; may be NULL */
    bool is_single;                 /* there is no file: catalog_of_single() made it */
    struct catalog_component *components;
    size_t component_count, component_capacity;
};
#define AUTO_CATALOG AUTO(catalog_free)

/* ERROR_DATA naming the file and the key for what is no redistrib file at all: not JSON, a key
 * twice, too deep, too large, no component. Keys and platforms that are not known are kept or
 * skipped, never an error (M10). *ret_catalog must be {0}. */
bool catalog_parse(const char *text, size_t size, const char *name, struct catalog *ret_catalog,
                   struct error *error);
void catalog_free(struct catalog *catalog);

/* A release that is one archive with a layout (manifest/toolkit/single.h): a component for each of
 * its layouts, all of them of that archive, whose size is not known. url may be NULL. *ret_catalog
 * must be {0}. */
void catalog_of_single(struct manifest *manifest, const char *product,
                       const struct version *version, const char *platform, const char *path,
                       const char *url, const struct digest *sha256, struct catalog *ret_catalog);

/* The content pin: SHA-256 over the sorted lines "relative_path sha256 size\n" of all entries
 * (docs/reference/manifest.md, pin). ERROR_DATA when an entry has a problem. */
bool catalog_content_digest(const struct catalog *catalog, struct digest *ret_digest,
                            struct error *error);

/* NULL: it has none with that key. */
const struct catalog_component *catalog_component_find(const struct catalog *catalog,
                                                       const char *key);

/* The entry for a platform and CUDA variant: nested "cuda12" before "cuda13.1" (major.minor) before
 * a flat one; NULL: none. cuda may be count 0 where the product has no variants. */
const struct catalog_entry *catalog_entry_find(const struct catalog_component *component,
                                               const char *platform, const struct version *cuda);

#endif
