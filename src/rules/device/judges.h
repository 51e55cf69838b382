/* SPDX-License-Identifier: MIT */
#ifndef RULES_DEVICE_JUDGES_H
#define RULES_DEVICE_JUDGES_H

#include "rules/engine/context.h"

/* The functions behind the rows of this folder. */
#define RULE(slug, ...) void judge_##slug(struct rule_context *context);
#include "rules/device/denied.def"
#include "rules/device/nodes.def"
#include "rules/device/selection.def"
#undef RULE

#endif
