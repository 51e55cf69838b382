/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_PRODUCT_DRIVER_H
#define RESOLVE_PRODUCT_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/version.h"
#include "resolve/engine/request.h"

struct manifest_branch;
struct resolve_choice;
struct resolve_gpu;

/* Something that the driver must run: a CUDA, a cuDNN, a framework's build. */
struct driver_need {
    char *what;                /* "CUDA 12.9.2" */
    struct version cuda;       /* count 0: none */
    bool exact;                /* it brings PTX that the driver has to compile */
    struct version driver_min; /* that its makers state; count 0: none */
};
struct driver_needs {
    struct driver_need *items;
    size_t count, capacity;
};
#define AUTO_NEEDS AUTO(driver_needs_free)
void driver_needs_free(struct driver_needs *needs);

/* How a driver stands to one need; always with words. */
struct verdict driver_need_verdict(const struct resolve_context *context,
                                   const struct driver_need *need);

/* The kernel module that the GPUs ask for. */
struct driver_module {
    bool must_be_open, must_be_proprietary;               /* both: no driver drives all of them */
    const struct resolve_gpu *open_gpu, *proprietary_gpu; /* that ask for it */
};
struct driver_module driver_module_of(const struct resolve_context *context);

/* Adds the names of the packages, and the commands that install them, of that branch on the
 * machine's system; notes what else has to be there. */
void driver_add_packages(struct resolve_context *context, const struct manifest_branch *branch,
                         const char *flavour, struct resolve_choice *choice);

/* Chooses a driver that drives every GPU and runs all needs. False: nothing fits. */
bool driver_choose(struct resolve_context *context, const struct request *request,
                   const struct driver_needs *needs);

#endif
