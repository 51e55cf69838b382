/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_VERSIONS_NVCC_H
#define MANIFEST_VERSIONS_NVCC_H

#include "base/strlist.h"
#include "base/version.h"
#include "manifest/reader/range.h"

struct manifest;

/* manifests/cuda.json: what nvcc takes and makes. */

/* The host compilers of a toolkit. A lowest version is the documented one; a highest one (13) has
 * all of its minors. */
struct manifest_compilers {
    const char *id;      /* "compilers/12.8" */
    struct version cuda; /* from this release of its minor on */
    struct version gcc_min, gcc_max;
    struct version clang_min, clang_max;
    const char *source;
    const char *confidence;
    const char *notes;
};
/* Those of a toolkit; 12.2 alone stands for its newest release. NULL when not listed. */
const struct manifest_compilers *manifest_compilers_find(struct manifest *manifest,
                                                         const struct version *cuda);

/* A C library that toolkits do not work with. */
struct manifest_c_library {
    const char *id;              /* "c_library/2.26" */
    struct manifest_range cuda;  /* the toolkits */
    struct manifest_range glibc; /* the versions of the C library */
    const char *text;            /* what fails, in a sentence that begins with a small letter */
    struct strlist functions;    /* that both declare, differently; empty: it is not about any */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* Every row, by the version of glibc where it begins or ends. */
const struct manifest_c_library *manifest_c_libraries(struct manifest *manifest, size_t *ret_count);
/* Whether the row is about this toolkit and this C library. False where one of them is unknown. */
bool manifest_c_library_hinders(const struct manifest_c_library *row, const struct version *cuda,
                                const struct version *glibc);

/* The compute capabilities that toolkits make code for. */
struct manifest_nvcc {
    const char *id;              /* "nvcc/12.0" */
    struct version first, last;  /* toolkits, as minors */
    struct strlist capabilities; /* "9.0" */
    struct strlist omits; /* those that the source leaves out, though the toolkits have them */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* Those of a toolkit. NULL when it is not listed: what is known then is where each compute
 * capability begins and ends (manifest_capability_find()). */
const struct manifest_nvcc *manifest_nvcc_find(struct manifest *manifest,
                                               const struct version *cuda);

#endif
