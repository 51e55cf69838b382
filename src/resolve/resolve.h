/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_RESOLVE_H
#define RESOLVE_RESOLVE_H

#include <stdbool.h>

struct error;
struct manifest;
struct resolution;
struct resolve_machine;
struct resolve_spec;
struct resolve_specs;
struct strlist;

/* Which versions fit a machine: specs x manifest x machine -> what is chosen, and why the others
 * are not. Pure: no file, clock, environment or library. */

/* Whether resolve() can take them: names that the manifest has, no product by two of its names, and
 * behind '@' a number, where the versions of the product are numbers. for_framework may be NULL.
 * False: ERROR_USAGE. */
bool resolve_specs_check(struct manifest *manifest, const struct resolve_specs *specs,
                         const struct resolve_spec *for_framework, struct error *error);

/* Whether the manifest has a product or framework of that name (small letters). */
bool resolve_knows(struct manifest *manifest, const char *product);
/* Adds every name there is. */
void resolve_names(struct manifest *manifest, struct strlist *names);

/* Resolves all specs together: cudnn beside cuda pairs with it, driver beside either runs it, and
 * --for-framework, which may be NULL, adds the cuda and cudnn that its build wants. False:
 * ERROR_USAGE as resolve_specs_check() has it; ERROR_UNSATISFIABLE when nothing fits,
 * ret_resolution filled all the same: its candidates say why. ret_resolution must be {0} and is the
 * caller's to free either way; its strings live as long as the manifest and the machine. */
bool resolve(struct manifest *manifest, const struct resolve_machine *machine,
             const struct resolve_specs *specs, const struct resolve_spec *for_framework,
             struct resolution *ret_resolution, struct error *error);

#endif
