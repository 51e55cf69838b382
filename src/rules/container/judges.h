/* SPDX-License-Identifier: MIT */
#ifndef RULES_CONTAINER_JUDGES_H
#define RULES_CONTAINER_JUDGES_H

#include "rules/engine/context.h"

/* The functions behind the rows of this folder. */
#define RULE(slug, ...) void judge_##slug(struct rule_context *context);
#include "rules/container/container.def"
#include "rules/container/engine.def"
#undef RULE

#endif
