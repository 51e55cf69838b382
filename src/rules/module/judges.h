/* SPDX-License-Identifier: MIT */
#ifndef RULES_MODULE_JUDGES_H
#define RULES_MODULE_JUDGES_H

#include "rules/engine/context.h"

/* The functions behind the rows of this folder. */
#define RULE(slug, ...) void judge_##slug(struct rule_context *context);
#include "rules/module/module.def"
#include "rules/module/module_firmware.def"
#include "rules/module/module_uvm.def"
#undef RULE

#endif
