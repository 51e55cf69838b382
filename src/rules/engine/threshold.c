/* SPDX-License-Identifier: MIT */
#include "rules/engine/threshold.h"

#include "rules/engine/context.h"

const struct manifest_threshold *threshold_of(struct rule_context *context, const char *name)
{
    const struct manifest_threshold *row = manifest_threshold_find(context->manifest, name);
    if (row == NULL)
        rule_unknown(context, "the manifest has no threshold %s", name);
    return row;
}

int64_t threshold_bytes(struct rule_context *context, const char *name)
{
    const struct manifest_threshold *row = threshold_of(context, name);
    return row ? (int64_t)row->bytes : 0;
}

int64_t threshold_percent(struct rule_context *context, const char *name)
{
    const struct manifest_threshold *row = threshold_of(context, name);
    return row ? (int64_t)row->percent : 0;
}
