/* SPDX-License-Identifier: MIT */
#ifndef RULES_QUERY_RUNTIME_H
#define RULES_QUERY_RUNTIME_H

#include "base/version.h"
#include "manifest/versions/driver_standing.h"
#include "rules/query/judged.h"

struct manifest;

/* Everything on the machine that wants a driver of a certain age: toolkits, and the copies of
 * libcudart outside them (wheels, conda environments, packages), one entry per CUDA version; and a
 * cuDNN that told which CUDA it is for, and an active framework, when nothing else is of that
 * major.
 */
struct cuda_runtime {
    char *name;             /* "CUDA toolkit 12.9", "CUDA runtime 12.8" */
    const char *group;      /* its facts, or those of its answer; of the first copy */
    const char *path;       /* where it, or the first copy, is */
    const char *text;       /* version as found; NULL: unknown */
    struct version version; /* count 0: unknown; count 1: a major alone */
    size_t more;            /* further copies of libcudart of that version */
    bool toolkit;
    bool is_default;         /* the default toolkit */
    const char *framework;   /* a copy's: group of an active framework that needs it; or NULL */
    const char *compat_path; /* a toolkit's compat directory; NULL: it has none */
};
struct cuda_runtimes {
    struct cuda_runtime *items;
    size_t count, capacity;
};
#define AUTO_RUNTIMES AUTO(cuda_runtimes_free)
/* Toolkits first, the default one before the others. */
struct cuda_runtimes cuda_runtimes(const struct facts *facts, struct manifest *manifest);
void cuda_runtimes_free(struct cuda_runtimes *runtimes);

#endif
