/* SPDX-License-Identifier: MIT */
#ifndef RULES_TOOLKIT_CUDA_FRAMEWORK_H
#define RULES_TOOLKIT_CUDA_FRAMEWORK_H

#include "rules/toolkit/toolkit_choice.h"

/* Finds usr_local_cuda_wrong_version where the active PyTorch is built for another major version
 * than the toolkit that its builds use. True when it did. */
bool cuda_find_framework_of_another(struct rule_context *context,
                                    const struct toolkit_choices *choices);

/* Finds toolkit_incomplete where the toolkit lacks headers that the active PyTorch's own headers
 * include. */
void cuda_find_headers_missing(struct rule_context *context, const struct judged_toolkit *toolkit);

/* Adds what installs all of the toolkit (cuda.c). */
void cuda_add_completion(const struct rule_context *context, struct finding *finding,
                         const struct judged_toolkit *toolkit);

#endif
