/* SPDX-License-Identifier: MIT */
#ifndef RULES_FRAMEWORK_FRAMEWORK_PARTIAL_H
#define RULES_FRAMEWORK_FRAMEWORK_PARTIAL_H

#include "rules/engine/context.h"

/* Functions that find what is part of a rule in another file. */

/* Part of gpu_too_old_for_framework */
void framework_find_cudnn_without_gpu(struct rule_context *context);
/* Part of gpu_newer_than_framework_build, with dropped of
 * gpu_too_old_for_framework */
void framework_find_nvrtc_without_gpu(struct rule_context *context, bool dropped);
/* Part of cuda_libs_wrong_version */
void framework_find_wheels_of_two_releases(struct rule_context *context);
struct frameworks;
void framework_find_older_jitlink(struct rule_context *context,
                                  const struct frameworks *frameworks);
void framework_find_riders_of_another_cuda(struct rule_context *context,
                                           const struct frameworks *frameworks);

#endif
