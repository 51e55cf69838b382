/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_GPU_GPU_H
#define MANIFEST_GPU_GPU_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strlist.h"
#include "base/version.h"

struct manifest;

/* A GPU model. */
struct manifest_gpu {
    const char *id;
    const char *name;      /* "H100 SXM5 80GB" */
    struct strlist names;  /* others that drivers give it */
    const char *gpu_class; /* data-centre, workstation, geforce, jetson, embedded; NULL: unknown */
    const char *architecture;  /* Hopper */
    struct version capability; /* count 0: no source gives it */
    const char *chip;          /* GA106; NULL: not noted */
    struct strlist device_ids; /* "2330" */
    unsigned gpus_per_board;   /* where it is more than one */
    unsigned memory_gb;        /* of one GPU */
    const char *memory_type;   /* HBM3; "system" where it shares the processor's memory */
    double bandwidth_gb_s;     /* of one GPU */
    double fp32_tflops;        /* at boost clock */
    double fp16_tflops;        /* without tensor cores */
    double fp16_tensor_tflops; /* without sparsity */
    unsigned tdp_w;
    const char *pcie;        /* "5.0 x16" */
    const char *nvlink;      /* yes, no */
    unsigned nvlinks;        /* that are up where all is well, when it has more; 0: all of them */
    const char *link_basis;  /* source: pcie and nvlink are in a source; editor: they are not */
    const char *open_module; /* required: unlike others of its architecture; NULL: as they */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* Every model, oldest architecture first. ret_count is always set. */
const struct manifest_gpu *manifest_gpu_all(struct manifest *manifest, size_t *ret_count);
/* Models that are known by name, PCI id and compute capability alone. The lookups find them too. */
const struct manifest_gpu *manifest_gpu_others(struct manifest *manifest, size_t *ret_count);
/* PCI device ids of chips with one compute capability: what is known of a model that has no row. */
struct manifest_gpu_range {
    const char *id;
    const char *first; /* "1b00" */
    const char *last;
    const char *architecture;
    struct version capability; /* count 0: no source gives it */
    struct strlist chips;      /* "GP102" */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* The range that has the PCI device id, any case; NULL: none has. */
const struct manifest_gpu_range *manifest_gpu_range_of(struct manifest *manifest,
                                                       const char *device_id);
/* Whether the name that a driver gives a GPU is one of the boards whose memory the kernel uses as
 * its own: files and programs of the processor lie in it. */
bool manifest_gpu_is_coherent(struct manifest *manifest, const char *name);
/* By PCI device id ("2330", any case); the first model when several share one. */
const struct manifest_gpu *manifest_gpu_by_device(struct manifest *manifest, const char *device_id);
/* Whether both are one model, or both NULL: a row may have several addresses. */
bool manifest_gpu_is(const struct manifest_gpu *gpu, const struct manifest_gpu *other);
/* By name as people and drivers write it ("H100", "rtx4090", "NVIDIA H100 80GB HBM3"), the first of
 * those that gpu_models_named() finds. NULL: the name is not known, and ret_nearest (may be NULL)
 * gets the names of up to five near ones, nearest first; or GPUs with different compute
 * capabilities have it, and ret_nearest gets theirs. */
const struct manifest_gpu *manifest_gpu_by_name(struct manifest *manifest, const char *name,
                                                struct strlist *ret_nearest);

#endif
