/* SPDX-License-Identifier: MIT */
#ifndef RULES_TOOLKIT_JUDGES_H
#define RULES_TOOLKIT_JUDGES_H

#include "rules/engine/context.h"

/* The functions behind the rows of this folder. */
#define RULE(slug, ...) void judge_##slug(struct rule_context *context);
#include "rules/toolkit/build.def"
#include "rules/toolkit/cuda.def"
#include "rules/toolkit/cudnn.def"
#undef RULE

#endif
