/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_ERROR_H
#define MANIFEST_ERROR_H

#include "manifest/manifest.h"

/* manifests/error.json: the numbers that the driver API, NVML and the kernel log give. */

/* A CUresult (and the runtime's error of the same number), or an nvmlReturn_t. */
struct manifest_error {
    const char *id;           /* "error/cuda-802", "error/nvml-18" */
    unsigned code;            /* 802 */
    const char *name;         /* CUDA_ERROR_SYSTEM_NOT_READY */
    const char *runtime_name; /* cudaErrorSystemNotReady; NULL: none, or NVML */
    const char *meaning;      /* a clause: "the system is not ready" */
    const char *cause;        /* what it comes from as a rule */
    const char *fix;          /* what to do */
    struct strlist findings;  /* causes (slugs) of gpuenv's findings that decide, likeliest first */
    const char *remaining;    /* what is left when none of them is found: clauses, ';' between */
    const char *command;      /* the one command that would decide then */
    const char *root;         /* yes: the command needs root */
    const char *source;
    const char *confidence;
    const char *notes;
};
const struct manifest_error *manifest_cuda_error(struct manifest *manifest, int64_t code);
const struct manifest_error *manifest_nvml_error(struct manifest *manifest, int64_t code);

/* An Xid of the kernel log ("NVRM: Xid (PCI:0000:01:00): 79, …"). */
struct manifest_xid {
    const char *id;   /* "error/xid-79" */
    unsigned code;    /* 79 */
    const char *name; /* symbol in NVIDIA's headers or catalogue; NULL: unknown */
    const char *meaning, *cause, *fix;
    const char *action;      /* NVIDIA's immediate action: RESET_GPU …; NULL: none stated */
    const char *investigate; /* NVIDIA's investigatory action */
    const char *application; /* yes: as a rule the program's own fault, not the GPU's */
    struct strlist findings;
    const char *source;
    const char *confidence;
    const char *notes;
};
const struct manifest_xid *manifest_xid(struct manifest *manifest, int64_t code);

/* Every row whose code is number, or whose name (either one, any case) is word: "802", "xid 79",
 * "nvml 18", "CUDA_ERROR_NO_DEVICE". Each list may hold several of one kind. */
struct manifest_error_hits {
    const struct manifest_error *cuda, *nvml; /* NULL: none */
    const struct manifest_xid *xid;
};
struct manifest_error_hits manifest_error_find(struct manifest *manifest, const char *word);

#endif
