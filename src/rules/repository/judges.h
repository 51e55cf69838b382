/* SPDX-License-Identifier: MIT */
#ifndef RULES_REPOSITORY_JUDGES_H
#define RULES_REPOSITORY_JUDGES_H

struct rule_context;

/* The functions behind the rows of this folder. */
#define RULE(slug, ...) void judge_##slug(struct rule_context *context);
#include "rules/repository/repository.def"
#undef RULE

#endif
