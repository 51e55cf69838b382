/* SPDX-License-Identifier: MIT */
#ifndef RULES_DRIVER_JUDGES_H
#define RULES_DRIVER_JUDGES_H

#include "rules/engine/context.h"

/* The functions behind the rows of this folder. */
#define RULE(slug, ...) void judge_##slug(struct rule_context *context);
#include "rules/driver/wsl.def"
#include "rules/driver/driver.def"
#include "rules/driver/driver_library.def"
#include "rules/driver/driver_ptx.def"
#include "rules/driver/wsl_answers.def"
#include "rules/driver/driver_answers.def"
#undef RULE

#endif
