/* SPDX-License-Identifier: MIT */
#ifndef RULES_QUERY_VENDOR_OTHERS_H
#define RULES_QUERY_VENDOR_OTHERS_H

#include "facts/facts.h"

struct manifest;

/* Whether the library ("nvml", "cuda") gives the name of another GPU than that group's. */
bool vendor_others_answer(const struct facts *facts, const char *kind, const char *besides);

/* Whether the GPU of that group ("nvml/3", "cuda/3") was given to others: the library lets this
 * program ask nothing about it, and answers for another GPU. */
bool vendor_is_of_others(const struct facts *facts, struct manifest *manifest, const char *group);

#endif
