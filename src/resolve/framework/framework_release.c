/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/reader/range.h"
#include "resolve/engine/resolution.h"
#include "resolve/framework/framework.h"

/* 2.5.1 is asked for as 2.5; a row of 2.5 stands for 2.5.1. */
static bool same_line(const struct version *release, const struct version *asked)
{
    return version_within(release, asked) || (release->count > 1 && version_within(asked, release));
}

static bool within_bounds(const struct version *from, const struct version *to,
                          const struct version *asked)
{
    return (version_compare(asked, from) >= 0 && version_compare(asked, to) <= 0) ||
           version_within(asked, to) || version_within(from, asked) || version_within(to, asked);
}

bool framework_release_has(const char *release, const struct request *request)
{
    const struct resolve_spec *spec = request->spec;
    const struct version *asked = &request->within;
    struct version from, to;
    if (release == NULL)
        return asked->count == 0 && (spec == NULL || spec->release == NULL);
    if (spec && spec->release)
        return string_equal(release, spec->release);
    bool at_most = string_starts(release, "<=");
    if (!version_parse_prefix(at_most ? release + 2 : release, &from))
        return asked->count == 0;
    if (!manifest_range_has(&request->range, &from))
        return false;
    if (asked->count == 0)
        return true;
    if (at_most) /* which releases there were before is not said */
        return version_within(&from, asked);
    const char *dash = strchr(release, '-');
    if (dash && version_parse_prefix(dash + 1, &to))
        return within_bounds(&from, &to, asked);
    if (strstr(release, ".x"))
        return version_within(asked, &from) || version_within(&from, asked);
    return same_line(&from, asked);
}
