/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_VERSIONS_LISTED_H
#define MANIFEST_VERSIONS_LISTED_H

#include <stdbool.h>

struct manifest;
struct manifest_place;
struct strlist;
struct version;

/* What rows say of other tables, for the functions `agrees` of a table. Each is false, with a
 * problem at key, where the other table does not have it. */

/* Whether driver.rows has the branch; 0 is an empty cell. */
bool branch_listed(struct manifest *manifest, const struct manifest_place *place, const char *key,
                   unsigned branch);
/* Whether driver.rows has the branch of that driver; count 0 is an empty cell. */
bool driver_listed(struct manifest *manifest, const struct manifest_place *place, const char *key,
                   const struct version *driver);
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
