/* SPDX-License-Identifier: MIT */
#ifndef RULES_DRIVER_DRIVER_AGE_H
#define RULES_DRIVER_DRIVER_AGE_H

#include "base/version.h"
#include "rules/engine/finding.h"
#include "rules/query/compat.h"
#include "rules/query/runtime.h"

struct manifest;
struct rule_context;

/* driver_too_old: what driver_age.c decides, and driver_age_report.c puts into words. */

/* The machine it is decided for. */
struct age {
    struct rule_context *context;
    struct manifest *manifest;
    struct judged_driver driver;
    struct version api;    /* CUDA driver API version that libcuda told when called; count 0: it was
                              not asked */
    const char *api_group; /* for evidence */
    struct compat compat;
    enum answer eligible; /* the GPUs for forward compatibility */
    unsigned last_branch; /* the newest that drives the GPUs; 0: no limit is known */
};

enum verdict {
    VERDICT_RUNS,
    VERDICT_MINOR,         /* through minor-version compatibility */
    VERDICT_COMPAT,        /* through the cuda-compat that is loaded */
    VERDICT_COMPAT_UNSURE, /* through it, if the GPUs are eligible */
    VERDICT_TOO_OLD,
    VERDICT_UNKNOWN,
};

struct outcome {
    const struct cuda_runtime *runtime;
    enum verdict verdict;
    struct comparison comparison; /* with the driver alone */
    enum answer listed;           /* cuda-compat of this CUDA on this driver */
    const char *compat_row;       /* the row that says so, or NULL */
    bool proved;                  /* CUDA has started through cuda-compat, which no row lists */
};

/* "driver 535.183.01 (supports CUDA 12.2)"; free() it. */
char *age_driver_words(const struct age *age, const struct comparison *comparison);

void age_report_minor(const struct age *age, const struct outcome *outcome);
void age_report_ptx(const struct age *age, const struct outcome *outcome);
void age_report_compat(const struct age *age, const struct outcome *outcome);
void age_report_too_old(const struct age *age, const struct outcome *outcome,
                        enum severity severity);

#endif
