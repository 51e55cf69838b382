/* SPDX-License-Identifier: MIT */
#ifndef RULES_DRIVER_DRIVER_ANSWERS_H
#define RULES_DRIVER_DRIVER_ANSWERS_H

#include "manifest/error/error.h"
#include "rules/engine/context.h"

/* Why cuInit fails where the machine around it tells: a confidential guest, HMM, MPS. Gives the
 * finding its reason and fixes; false: nothing of that kind is known, and nothing was said. */
bool answers_tell_surroundings(const struct rule_context *context, struct finding *finding,
                               const struct manifest_error *error, int64_t number);

#endif
