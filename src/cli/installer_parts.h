/* SPDX-License-Identifier: MIT */
#ifndef CLI_INSTALLER_PARTS_H
#define CLI_INSTALLER_PARTS_H

#include "cli/installer.h"

/* Private to installer*.c: --allow-unpinned and versions that the manifest does not list
 * (installer_unlisted.c). */

/* Of the cuda of specs, where it is a whole version that the manifest does not list: the others are
 * to join it. NULL: it is none. */
const struct version *installer_unlisted_cuda(struct manifest *manifest,
                                              const struct resolve_specs *specs);
/* What resolve() can answer: an unlisted cuda is left out, of any other unlisted product only its
 * name is there, which finds the CUDA variant. */
bool installer_split(struct manifest *manifest, const struct resolve_specs *specs,
                     struct resolve_specs *ret_known, struct error *error);
/* The unlisted versions, in the place of those that were chosen for their products. */
void installer_take_unlisted(struct manifest *manifest, const struct resolve_specs *specs,
                             struct resolution *resolution);

#endif
