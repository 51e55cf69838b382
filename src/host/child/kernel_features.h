/* SPDX-License-Identifier: MIT */
#ifndef HOST_CHILD_KERNEL_FEATURES_H
#define HOST_CHILD_KERNEL_FEATURES_H

#include <stdbool.h>
#include <stddef.h>

/* What gpuenv uses of a kernel where it is there, though Linux 3.10, the oldest one that it runs
 * on, or a sandbox does not have it. */
struct kernel_feature {
    const char *name;       /* "openat2" */
    const char *since;      /* the first release of Linux that has it: "5.6" */
    const char *without;    /* what gpuenv does without it: a clause */
    bool (*is_there)(void); /* asks the running kernel; changes nothing */
};

/* All that gpuenv uses, the oldest first. */
extern const struct kernel_feature kernel_features[];
extern const size_t kernel_feature_count;

#endif
