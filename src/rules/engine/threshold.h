/* SPDX-License-Identifier: MIT */
#ifndef RULES_ENGINE_THRESHOLD_H
#define RULES_ENGINE_THRESHOLD_H

#include "manifest/versions/threshold.h"
#include "rules/engine/context.h"

/* The row of manifests/threshold.json of that name. NULL, and the check is ended as undecided, when
 * the manifest has none. */
const struct manifest_threshold *threshold_of(struct rule_context *context, const char *name);
/* Its size; 0, and the check is ended so, when there is none. */
int64_t threshold_bytes(struct rule_context *context, const char *name);
/* The same for a share. */
int64_t threshold_percent(struct rule_context *context, const char *name);

#endif
