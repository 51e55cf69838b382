/* SPDX-License-Identifier: MIT */
#ifndef RULES_SYSTEM_JUDGES_H
#define RULES_SYSTEM_JUDGES_H

#include "rules/engine/context.h"

/* The functions behind the rows of this folder. */
#define RULE(slug, ...) void judge_##slug(struct rule_context *context);
#include "rules/system/vm_guest_refused.def"
#include "rules/system/resources.def"
#include "rules/system/service.def"
#undef RULE

#endif
