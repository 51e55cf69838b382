/* SPDX-License-Identifier: MIT */
#ifndef RULES_QUERY_COMPAT_H
#define RULES_QUERY_COMPAT_H

#include "base/version.h"
#include "rules/query/judged.h"

struct manifest;

/* Forward compatibility: the libcuda of a cuda-compat package on an older driver. NVIDIA, "Forward
 * Compatibility": from listed branches only, on data-centre GPUs and Jetson; some workstation
 * boards too, which the manifest does not tell apart. */
enum answer { ANSWER_NO, ANSWER_UNSURE, ANSWER_YES };

/* Whether every GPU may use it. */
enum answer compat_for_gpus(struct manifest *manifest, const struct judged_gpus *gpus);
/* Whether cuda-compat of that CUDA runs on this driver's branch; ret_row (may be NULL) gets the
 * id of the manifest's row, or NULL. */
enum answer compat_for_driver(struct manifest *manifest, const struct version *cuda,
                              const struct version *driver, const char **ret_row);

/* The cuda-compat libcuda that the loader picks. */
struct compat {
    const char *path;         /* NULL: it picks none */
    struct version version;   /* its driver version; count 0: unknown */
    struct version cuda;      /* the CUDA driver API version it brings; count 0: unknown */
    const char *loader_group; /* for evidence */
};
struct compat compat_active(const struct facts *facts, struct manifest *manifest);

#endif
