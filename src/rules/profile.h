/* SPDX-License-Identifier: MIT */
#ifndef RULES_PROFILE_H
#define RULES_PROFILE_H

#include "facts/facts.h"
#include "rules/engine/finding.h"

struct judge_options;

/* What the machine is judged for, and what decided it: a clause for the header, to be freed. */
enum profile profile_choose(const struct facts *facts, const struct judge_options *options,
                            char **ret_reason);

#endif
