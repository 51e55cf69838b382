/* SPDX-License-Identifier: MIT */
#ifndef RULES_FRAMEWORK_JUDGES_H
#define RULES_FRAMEWORK_JUDGES_H

#include "rules/engine/context.h"

/* The functions behind the rows of this folder. */
#define RULE(slug, ...) void judge_##slug(struct rule_context *context);
#include "rules/framework/framework.def"
#include "rules/framework/libraries.def"
#include "rules/framework/gpu_mixed.def"
#undef RULE

#endif
