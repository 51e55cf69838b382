/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/reader/range.h"
#include "manifest/versions/python.h"
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

/* The next newer wheel of the framework whose Pythons are known; NULL: none is. */
static const struct manifest_build *newer_with_python(struct manifest *manifest,
                                                      const struct manifest_build *build)
{
    size_t count;
    const struct manifest_build *rows = manifest_builds_of(manifest, build->framework, &count);
    for (const struct manifest_build *row = build; row < rows + count; row++)
        if (row->python && string_equal(row->kind, "wheel"))
            return row;
    return NULL;
}

bool framework_precedes_python(const struct resolve_context *context,
                               const struct manifest_build *build,
                               struct resolve_candidate *candidate)
{
    const struct version *python = &context->machine.python;
    char have[VERSION_TEXT_SIZE];
    if (python->count == 0 || build->python || !string_equal(build->kind, "wheel"))
        return false;
    const struct manifest_build *newer = newer_with_python(context->manifest, build);
    struct version newest;
    if (newer == NULL || python_list_has(newer->python, python, &newest) ||
        version_compare(&newest, python) >= 0)
        return false;
    candidate_turn_down(candidate, "python_unsupported",
                        "%s %s is not newer than %s, which is for Python %s, not for %s",
                        build->framework, candidate->version, newer->release, newer->python,
                        version_text(python, 2, have));
    return true;
}

bool framework_pin_is_of(const struct manifest_framework_pin *pin,
                         const struct manifest_build *build)
{
    struct request release = {.asked = build->release};
    return string_equal(pin->framework, build->framework) &&
           (pin->variant == NULL || string_equal(pin->variant, build->variant)) && build->release &&
           version_parse_prefix(build->release, &release.within) &&
           framework_release_has(pin->release, &release);
}
