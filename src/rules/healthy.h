/* SPDX-License-Identifier: MIT */
#ifndef RULES_HEALTHY_H
#define RULES_HEALTHY_H

#include "rules/judged.h"

/* What looks like a fault and is none: told, and never warned of. */

/* healthy.c */
void judge_false_alarm_not_a_fault(struct rule_context *context);
void judge_mig_single_instance_visible(struct rule_context *context);
/* cuda_numbers.c */
void judge_smi_cuda_version_confusion(struct rule_context *context);

#endif
