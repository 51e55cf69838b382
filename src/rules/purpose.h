/* SPDX-License-Identifier: MIT */
#ifndef RULES_PURPOSE_H
#define RULES_PURPOSE_H

#include "facts/facts.h"
#include "rules/engine/finding.h"

struct judge_options;

/* What the machine is judged for, and what decided it: a clause for the header, to be freed. */
enum purpose purpose_choose(const struct facts *facts, const struct judge_options *options,
                            char **ret_reason);

#endif
