/* SPDX-License-Identifier: MIT */
#ifndef RULES_QUERY_LACKING_H
#define RULES_QUERY_LACKING_H

#include <stdbool.h>

#include "facts/facts.h"
#include "rules/engine/context.h"

struct manifest;

/* The first one since facts_watch() that is needed (dictionary_need()): unknown or missing; with
 * unknown false: skipped, or another rule's to tell. A GPU that was given to others is not this
 * program's to judge. */
struct lacking_fact lacking_first(const struct facts *facts, struct manifest *manifest,
                                  bool unknown);
/* All of them: "module.nvidia: why; …", each why once. NULL: there is none. */
char *lacking_text(const struct facts *facts, struct manifest *manifest);

#endif
