/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_FRAMEWORK_CODE_H
#define MANIFEST_FRAMEWORK_CODE_H

#include "base/strlist.h"
#include "base/version.h"

/* Whether GPU code runs on a GPU. Items are as the manifest has them, "9.0", "9.0a", "10.0f", or as
 * files do, "sm_90a", "compute_120". "a" runs on that capability alone, "f" within its major alone
 * (NVIDIA, "PTX ISA", .target). */

/* One item. */
struct code_item {
    struct version capability;
    char suffix; /* 'a', 'f', or 0 */
};
/* False when it is none. */
bool code_item_parse(const char *text, struct code_item *ret_item);

/* Machine code: on the same major with an equal or higher minor. */
bool code_machine_runs(const struct strlist *machine_code, const struct version *gpu);
/* PTX: compiled for any GPU that is not older. */
bool code_ptx_runs(const struct strlist *ptx, const struct version *gpu);
/* Whether the GPU's own capability is among them: what a Jetson's GPU needs, on which machine code
 * of other GPUs does not run (CUDA C++ Programming Guide, "Binary Compatibility"). */
bool code_has(const struct strlist *machine_code, const struct version *gpu);
/* The lowest and highest capability in the list; false: none can be read. */
bool code_bounds(const struct strlist *list, struct version *ret_low, struct version *ret_high);

#endif
