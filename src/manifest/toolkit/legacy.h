/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_TOOLKIT_LEGACY_H
#define MANIFEST_TOOLKIT_LEGACY_H

#include <stddef.h>

#include "base/strlist.h"
#include "base/version.h"
#include "manifest/reader/range.h"

struct manifest;

/* manifests/legacy.json: installers of CUDA and archives of cuDNN that are older than the redistrib
 * files or stand beside them. It is large: only who asks for it loads it. */

/* An installer of a CUDA toolkit. */
struct manifest_runfile {
    const char *id;         /* "legacy/cuda/8.0.61/cuda_8.0.61_375.26_linux-run" */
    struct version version; /* 8.0.61; a patch has a fourth number: 8.0.61.2 */
    const char *file;       /* its name */
    const char *platform;   /* linux-x86_64, linux-sbsa, linux-ppc64le, windows-x86_64 */
    const char *kind;       /* local: all in one file; network: fetches the rest; patch */
    const char *path;       /* "/compute/cuda/8.0/Prod2/local_installers/cuda_8.0.61_…" */
    const char *host;       /* NULL: developer.download.nvidia.com */
    struct strlist urls;    /* other places */
    const char *sha256;     /* NULL: not known */
    const char *md5;        /* only where there is no sha256; NULL: not known either */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* Every row, oldest version first. */
const struct manifest_runfile *manifest_runfiles(struct manifest *manifest, size_t *ret_count);
/* The local installer of exactly that version; NULL when not listed. */
const struct manifest_runfile *manifest_runfile_find(struct manifest *manifest,
                                                     const struct version *version,
                                                     const char *platform);

/* An archive of cuDNN. */
struct manifest_archive {
    const char *id;         /* "legacy/cudnn/8.9.7.29/cudnn-linux-sbsa-8.9.7.29_…" */
    struct version version; /* 8.9.7.29; old ones have fewer numbers */
    const char *stage;      /* rc; NULL: a release */
    struct version cuda;    /* that it was made for: 12, 11.2 */
    const char *file;       /* its name. Before 7.2 several versions have one of the same name */
    const char *platform;   /* as above, and macos-x86_64 */
    const char *path;       /* NULL: no address is known */
    const char *host;
    struct strlist urls;
    const char *sha256;
    const char *md5;
    const char *redistrib; /* yes: a redistrib file lists it, with the same digest; no; NULL: not
                              known */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* Every row: oldest version first, then oldest CUDA. */
const struct manifest_archive *manifest_archives(struct manifest *manifest, size_t *ret_count);
/* The archive of a version (8.9.7.29; 8.9.7: the newest build in it) for a CUDA version (11.2.1:
 * the one for 11.2, else the one for 11; where cudnn.pairs has the pair, else the one for another
 * minor of 11) and platform; release candidates are left out. NULL when not listed. */
const struct manifest_archive *manifest_archive_find(struct manifest *manifest,
                                                     const struct version *version,
                                                     const struct version *cuda,
                                                     const char *platform);

/* Where the files of one archive go, for one component: an archive that no list of NVIDIA's names
 * is installed by such rows. Patterns are relative paths; "*" stands for a part of one step. A
 * pattern is for the path itself and all that is below it, and one that ends with "/" for a
 * directory and what is below it. {target} is x86_64-linux, sbsa-linux, ppc64le-linux. */
#define MANIFEST_LAYOUT_ARROW  " -> "
#define MANIFEST_LAYOUT_TARGET "{target}"
struct manifest_layout {
    const char *id;                 /* "legacy/cuda/cuda_toolkit/7.0" */
    const char *product;            /* cuda */
    const char *component;          /* that this row cuts out: a row of component.json */
    struct manifest_range versions; /* of the product; both ends are there */
    const char *format;             /* runfile, tgz, tar.xz, zip */
    const char *nested;             /* the runfile inside that has the files; NULL: none */
    struct strlist left_out;        /* patterns of what no place is for */
    struct strlist places; /* "FROM -> TO": the first pattern that fits; "." is all of it */
    struct strlist links;  /* "NAME -> TARGET", where the archive has no NAME */
    struct strlist needed; /* paths without which it is not the component */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* Every row: by product, component, oldest version first. */
const struct manifest_layout *manifest_layouts(struct manifest *manifest, size_t *ret_count);

/* Where they are: "https://developer.download.nvidia.com/…". NULL: not listed, or no address is
 * known. free() it. */
char *manifest_runfile_url(struct manifest *manifest, const struct version *version,
                           const char *platform);
char *manifest_archive_url(struct manifest *manifest, const struct version *version,
                           const struct version *cuda, const char *platform);

/* What to know of such files, and how they are installed. */
struct manifest_advice {
    const char *id;                 /* "legacy/cuda/silent" */
    const char *product;            /* cuda: its runfiles; cudnn: its archives */
    const char *topic;              /* silent, rpath … */
    struct manifest_range versions; /* that it is about */
    const char *text;
    const char *source;
    const char *confidence;
    const char *notes;
};
/* What there is to know of a product's version on one topic; NULL: nothing. */
const struct manifest_advice *manifest_advice_find(struct manifest *manifest, const char *product,
                                                   const char *topic,
                                                   const struct version *version);

#endif
