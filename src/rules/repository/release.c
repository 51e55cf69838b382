/* SPDX-License-Identifier: MIT */
#include "rules/repository/release.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "base/version.h"
#include "rules/engine/finding.h"
#include "rules/query/packages.h"
#include "rules/remedy/remedy.h"
#include "rules/repository/source.h"

/* Module and libraries of the driver, which have to be of one release; of a name that a version
 * of a kernel follows there may be others. dpkg's own rules are apt's. */
static const char *const parts[] = {
    "kmod-nvidia",    "akmod-nvidia", "dkms-nvidia",        "xorg-x11-drv-nvidia", "nvidia-driver",
    "nvidia-compute", "nvidia-open",  "nvidia-dkms",        "nvidia-utils",        "nvidia-gl-G",
    "nvidia-kmod",    "nvidia-lts",   "lib32-nvidia-utils",
};

static bool is_part(const char *name)
{
    for (size_t i = 0; name && i < sizeof(parts) / sizeof(parts[0]); i++) {
        size_t length = strlen(parts[i]);
        if (string_starts(name, parts[i]) &&
            !(name[length] == '-' && isdigit((unsigned char)name[length + 1])))
            return true;
    }
    return string_equal(name, "nvidia");
}

/* The next package of the driver whose release is known. */
static const char *next_part(const struct facts *facts, size_t *cursor, struct version *ret_release)
{
    const char *group;
    while ((group = facts_next(facts, "package", cursor)) != NULL)
        if (is_part(facts_string(facts, group, "name")) &&
            packages_release(facts, group, ret_release))
            break;
    return group;
}

static void two_found(struct rule_context *context, const char *one, const char *other)
{
    const struct facts *facts = context->facts;
    const char *name = facts_string(facts, one, "name");
    const char *hold = facts_string(facts, one, "hold");
    const char *vendor = facts_string(facts, one, "vendor");
    const char *second = facts_string(facts, other, "vendor");
    AUTO_FREE char *why = hold ? mem_printf("%s is held (%s)", name, hold)
                               : mem_printf("they come from %s and %s", vendor, second);
    struct finding *finding =
        rule_found(context, source_severity(context),
                   "packages of the driver stay at two releases: %s %s, %s %s; %s", name,
                   facts_string(facts, one, "version"), facts_string(facts, other, "name"),
                   facts_string(facts, other, "version"), why);
    finding_subject(finding, name);
    finding_why(finding, "module and libraries of the driver must have the same release; an update "
                         "changes only a part of them, or ends in a conflict of packages");
    finding_evidence(finding, facts, one, "version");
    finding_evidence(finding, facts, other, "version");
    finding_evidence(finding, facts, one, hold ? "hold" : "vendor");
    if (hold == NULL) {
        finding_evidence(finding, facts, other, "vendor");
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "use only one repository for the driver, and install it again from there");
        return;
    }
    AUTO_FREE char *release = remedy_release_hold(context, finding, one);
    finding_fix_note(finding, FIX_CHOICE | NEEDS_ROOT,
                     "%supdate all packages of the driver together", release);
}

/* One that is held and differs from another one, or two of other vendors and branches. */
static bool stays(const struct facts *facts, const char *one, const struct version *release,
                  const char *other, const struct version *second)
{
    const char *hold = facts_string(facts, one, "hold");
    const char *vendor = facts_string(facts, one, "vendor");
    const char *other_vendor = facts_string(facts, other, "vendor");
    if (hold)
        return version_compare(release, second) != 0;
    return vendor && other_vendor && !string_equal(vendor, other_vendor) &&
           release->part[0] != second->part[0];
}

bool release_find_two(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct version release, second;
    const char *one, *other;
    if (string_equal(facts_string(facts, "package", "database"), "dpkg"))
        return false;
    for (size_t i = 0; (one = next_part(facts, &i, &release)) != NULL;)
        for (size_t k = 0; (other = next_part(facts, &k, &second)) != NULL;)
            if (other != one && stays(facts, one, &release, other, &second)) {
                two_found(context, one, other);
                return true;
            }
    return false;
}
