/* SPDX-License-Identifier: MIT */
#ifndef RULES_GPU_JUDGES_H
#define RULES_GPU_JUDGES_H

#include "rules/engine/context.h"

/* The functions behind the rows of this folder. */
#define RULE(slug, ...) void judge_##slug(struct rule_context *context);
#include "rules/gpu/gpu.def"
#include "rules/query/gpu_nvml.def"
#include "rules/query/hardware.def"
#include "rules/gpu/peers.def"
#include "rules/gpu/gpu_call.def"
#include "rules/gpu/trial.def"
#undef RULE

#endif
