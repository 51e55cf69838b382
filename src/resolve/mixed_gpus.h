/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_MIXED_GPUS_H
#define RESOLVE_MIXED_GPUS_H

struct manifest;
struct resolution;
struct resolve_machine;
struct resolve_specs;

/* Where GPUs of different compute capability keep newer releases of a framework from one another,
 * or leave none: adds to resolution, which resolve() filled of the same, what each of them runs by
 * itself. Nothing where that is no newer. */
void resolve_mixed_gpus(struct manifest *manifest, const struct resolve_machine *machine,
                        const struct resolve_specs *specs, struct resolution *resolution);

#endif
