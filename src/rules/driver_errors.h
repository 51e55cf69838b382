/* SPDX-License-Identifier: MIT */
#ifndef RULES_DRIVER_ERRORS_H
#define RULES_DRIVER_ERRORS_H

#include <stdbool.h>
#include <stdint.h>

/* What an error number of cuInit or nvmlInit means. Sources: cuda.h of CUDA 13.0 (CUresult), nvml.h
 * (nvmlReturn_t), and NVIDIA's documentation of both. */
#define ERROR_CAUSES 16
struct driver_error {
    int64_t number;
    const char *name;      /* as the header has it */
    const char *meaning;   /* a clause */
    const char *remaining; /* what may cause it when no finding explains it, the likeliest first */
    const char *command;   /* the one that decides between them */
    bool root;             /* it needs root */
    const char *causes[ERROR_CAUSES]; /* of the findings that explain it, the likeliest first */
};

/* NULL: the number is not in the list. */
const struct driver_error *cuda_error_find(int64_t number);
const struct driver_error *nvml_error_find(int64_t number);

#endif
