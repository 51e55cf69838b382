/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_TOOLKIT_COMPONENT_H
#define MANIFEST_TOOLKIT_COMPONENT_H

#include <stddef.h>

#include "base/strlist.h"
#include "base/version.h"

struct manifest;

/* manifests/component.json: the components of NVIDIA's redistributable products, and which of
 * gpuenv's extents take them. */
struct manifest_component {
    const char *id; /* "component/cuda-cuda_nvcc" */
    const char *product;
    const char *component;       /* the key in redistrib files */
    const char *renamed_to;      /* what newer releases call it; NULL: the same */
    const char *kind;            /* compiler, runtime, library, header, tool, sample, documentation,
                                    nsight, driver, fabric */
    struct strlist extents;      /* full, runtime, build; empty: only by --component */
    struct strlist required_for; /* extents that are of no use without it */
    struct version capability_min; /* GPUs below it cannot use the component; count 0: not stated */
    const char *pkg_config; /* the name by which pkg-config finds it; NULL: its archive says */
    struct strlist links;   /* libraries that programs link: "cutensor" for -lcutensor */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* Every row, by product and component. */
const struct manifest_component *manifest_component_all(struct manifest *manifest,
                                                        size_t *ret_count);
/* NULL: not listed. */
const struct manifest_component *
manifest_component_find(struct manifest *manifest, const char *product, const char *component);

#endif
