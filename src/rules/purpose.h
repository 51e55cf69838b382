/* SPDX-License-Identifier: MIT */
#ifndef RULES_PURPOSE_H
#define RULES_PURPOSE_H

#include "facts/facts.h"
#include "rules/engine/finding.h"

struct judge_options;
struct manifest;

/* Sets what the machine is judged for, what decided it, and whether a container was given no GPU.
 */
void purpose_choose(const struct facts *facts, struct manifest *manifest,
                    const struct judge_options *options, struct judgement *judgement);

#endif
