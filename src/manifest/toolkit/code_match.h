/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_TOOLKIT_CODE_MATCH_H
#define MANIFEST_TOOLKIT_CODE_MATCH_H

#include <stdbool.h>

#include "base/version.h"

struct manifest;
struct strlist;

/* Whether a GPU takes GPU code, whatever the driver: the one judgement of it, for files and for
 * lists. NVIDIA, "CUDA C++ Programming Guide", binary compatibility; "PTX ISA", .target;
 * manifests/code.json for families and integrated GPUs. docs/reference/inspect.md has the rules in
 * words. */

/* One piece of code, as far as its name tells: "9.0", "9.0a" and "10.0f" in the manifest, "sm_90a"
 * and "compute_120" in files. */
struct code_item {
    struct version capability; /* count 0: not said */
    char suffix;               /* 'a': for that capability alone, 'f': for its family, or 0 */
};
/* False when it is none. */
bool code_item_parse(const char *text, struct code_item *ret_item);

enum code_match {
    CODE_MATCH_NO,
    CODE_MATCH_UNSURE, /* nothing that is listed tells, or nothing is promised */
    CODE_MATCH_YES,
};
/* Machine code: its own capability, and a higher minor of the major; across integrated GPUs nothing
 * is promised. */
enum code_match code_match_machine(struct manifest *manifest, const struct code_item *item,
                                   const struct version *gpu);
/* PTX: compiled for any GPU that is not older. */
enum code_match code_match_ptx(struct manifest *manifest, const struct code_item *item,
                               const struct version *gpu);

/* The best of a list, in which what is no code does not count; list may be NULL. */
enum code_match code_list_match_machine(struct manifest *manifest, const struct strlist *list,
                                        const struct version *gpu);
enum code_match code_list_match_ptx(struct manifest *manifest, const struct strlist *list,
                                    const struct version *gpu);

/* Whether the GPU's own capability is among them: what a Jetson's GPU needs. list may be NULL. */
bool code_list_has(const struct strlist *list, const struct version *gpu);
/* The lowest and highest capability in the list; false: none can be read. */
bool code_list_bounds(const struct strlist *list, struct version *ret_low,
                      struct version *ret_high);

#endif
