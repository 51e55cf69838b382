/* SPDX-License-Identifier: MIT */
#ifndef CLI_MACHINE_MACHINE_OF_H
#define CLI_MACHINE_MACHINE_OF_H

#include "facts/facts.h"
#include "resolve/engine/resolution.h"
#include "rules/query/judged.h"

struct manifest;
struct version;

/* The machine of a record, as resolve() takes it. Strings belong to the facts and the manifest. */
struct machine_of {
    struct resolve_machine machine;
    struct resolve_gpu *gpus;
    size_t gpu_count, gpu_capacity;
    struct version *compat;
    size_t compat_count, compat_capacity;
};
#define AUTO_MACHINE AUTO(machine_of_free)

struct machine_of machine_of(const struct facts *facts, struct manifest *manifest);
/* Also the Python and the C library that packages must suit, as far as the record has them. */
void machine_take_python(struct machine_of *machine, const struct facts *facts);
void machine_of_free(struct machine_of *machine);

#endif
