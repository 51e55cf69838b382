/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_PACKAGE_PACKAGE_TABLE_H
#define MANIFEST_PACKAGE_PACKAGE_TABLE_H

#include <stddef.h>

#include "manifest/package/package.h"
#include "manifest/reader/subject.h"

struct manifest;
struct strlist;

/* What the files of the subject package share. */

/* The rows that name one of systems, and maybe others. */
const struct manifest_package *
packages_of_systems(struct manifest *manifest, const struct strlist *systems, size_t *ret_count);

/* How NVIDIA's package repository calls a machine's architecture. */
struct package_machine {
    const char *id;
    const char *machine;      /* uname -m: aarch64 */
    const char *architecture; /* sbsa */
    const char *source;
    const char *confidence;
    const char *notes;
};
const struct package_machine *package_machines(struct manifest *manifest, size_t *ret_count);
/* Where the repository is; NULL: the subject cannot be read. */
const char *package_base_url(struct manifest *manifest);

/* How package.c has the table compilers read: package_compiler.c. */
extern const struct manifest_key host_compiler_keys[];
char *host_compilers_id(const void *row);
bool host_compilers_check(const struct manifest_place *place, const void *row,
                          const void *previous);
const struct manifest_host_compilers *package_compilers(struct manifest *manifest,
                                                        size_t *ret_count);

/* The same for the table signers: package_signer.c. */
extern const struct manifest_key signer_keys[];
char *signer_id(const void *row);
bool signer_check(const struct manifest_place *place, const void *row, const void *previous);
const struct manifest_signer *package_signers(struct manifest *manifest, size_t *ret_count);

/* Whether what a row says of other rows is so: package_agree.c. */
manifest_agreement package_agrees;
manifest_agreement repository_agrees;

#endif
