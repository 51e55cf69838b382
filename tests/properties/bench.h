/* SPDX-License-Identifier: MIT */
#ifndef PROPERTIES_BENCH_H
#define PROPERTIES_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "facts/facts.h"
#include "manifest/manifest.h"
#include "rules/engine/finding.h"
#include "rules/query/framework_choice.h"

/* The machines that tests/properties/run has put down: NAME.facts.json, the record; NAME.words, the
 * words of its command, and "tree" where it is an image tree. They are judged in this process. */

struct machine {
    const char *name;
    struct facts *facts;
    struct manifest *manifest; /* borrowed */
    struct strlist words;
};
#define AUTO_BENCH_MACHINE AUTO(machine_free)
/* False with an error: it cannot be read. */
bool machine_load(const char *directory, const char *name, struct manifest *manifest,
                  struct machine *ret_machine, struct error *error);
void machine_free(struct machine *machine);

/* What is resolved of frameworks for it. framework_choices_free() it. */
void machine_choose(const struct machine *machine, const struct facts *facts,
                    struct framework_choices *ret_choices);
/* Judges facts as `gpuenv doctor` with the words of the machine does. judgement_free() it. */
struct judgement *machine_judge(const struct machine *machine, const struct facts *facts);
/* The same with what was resolved before. */
struct judgement *machine_judge_with(const struct machine *machine, const struct facts *facts,
                                     const struct framework_choices *choices);

/* A random number below limit, from a state that starts with the seed. */
uint64_t random_below(uint64_t *state, uint64_t limit);

#endif
