/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_APART_H
#define RESOLVE_APART_H

struct manifest;
struct resolution;
struct resolve_machine;
struct resolve_specs;

/* Where GPUs of different compute capability keep newer releases of a framework from one another,
 * or leave none: adds to resolution, which resolve() filled of the same, what each of them runs by
 * itself. Nothing where that is no newer. */
void resolve_apart(struct manifest *manifest, const struct resolve_machine *machine,
                   const struct resolve_specs *specs, struct resolution *resolution);

#endif
