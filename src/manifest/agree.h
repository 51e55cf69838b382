/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_AGREE_H
#define MANIFEST_AGREE_H

#include "manifest/subject.h"

/* Whether what a row says of other tables is so there. A subject with a file of its own for this
 * declares its functions here; agree.c has the table of all. */
typedef bool manifest_agreement(struct manifest *manifest, struct manifest_place *place,
                                const void *row);

manifest_agreement compat_container_agrees;
manifest_agreement compat_rule_agrees;
manifest_agreement cuda_compilers_agree;
manifest_agreement cuda_nvcc_agrees;
manifest_agreement cudnn_library_agrees;
manifest_agreement cudnn_major_agrees;
manifest_agreement cudnn_pair_agrees;
manifest_agreement cudnn_release_agrees;
manifest_agreement cudnn_wheel_agrees;
manifest_agreement legacy_archive_agrees;
manifest_agreement library_release_agrees;
manifest_agreement library_soname_agrees;
manifest_agreement package_agrees;
manifest_agreement pin_agrees;
manifest_agreement repository_agrees;
manifest_agreement system_agrees;

/* Whether driver.rows has the branch; 0 is an empty cell. */
bool branch_listed(struct manifest *manifest, const struct manifest_place *place, const char *key,
                   unsigned branch);
/* Whether cuda.rows has the version, or one that begins with it; count 0 is an empty cell. */
bool cuda_listed(struct manifest *manifest, const struct manifest_place *place, const char *key,
                 const struct version *cuda);
/* The same for each of a list. */
bool cudas_listed(struct manifest *manifest, const struct manifest_place *place, const char *key,
                  const struct strlist *cudas);
/* Whether capability.rows has it; count 0 is an empty cell. */
bool capability_listed(struct manifest *manifest, const struct manifest_place *place,
                       const char *key, const struct version *capability);

#endif
