/* SPDX-License-Identifier: MIT */
#ifndef RULES_TOOLKIT_CUDA_FRAMEWORK_H
#define RULES_TOOLKIT_CUDA_FRAMEWORK_H

#include "rules/engine/context.h"
#include "rules/query/judged.h"

/* Part of usr_local_cuda_wrong_version, for builds: an active PyTorch is of another CUDA major than
 * the toolkit that they take. */
void cuda_find_framework_of_another(struct rule_context *context,
                                    const struct judged_toolkit *toolkit);

#endif
