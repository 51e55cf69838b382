/* SPDX-License-Identifier: MIT */
#include "manifest/reader/range.h"

#include "base/version.h"

bool manifest_range_has(const struct manifest_range *range, const struct version *version)
{
    if (range->from.count > 0 && version_compare(version, &range->from) < 0)
        return false;
    return range->below.count == 0 || version_compare(version, &range->below) < 0;
}
