/* SPDX-License-Identifier: MIT */
#ifndef RULES_REQUIREMENT_JUDGES_H
#define RULES_REQUIREMENT_JUDGES_H

#include "rules/engine/context.h"

/* The functions behind the rows of this folder. */
#define RULE(slug, ...) void judge_##slug(struct rule_context *context);
#include "rules/requirement/requirement.def"
#undef RULE

#endif
