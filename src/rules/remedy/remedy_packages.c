/* SPDX-License-Identifier: MIT */
#include <fnmatch.h>
#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/remedy/remedy.h"

void remedy_remove_package(const struct rule_context *context, struct finding *finding,
                           const char *package, const char *note)
{
    const struct facts *facts = context->facts;
    AUTO_FREE char *quoted = shell_quote(package);
    const char *tool = NULL;
    switch (remedy_distribution(facts)) {
    case DISTRIBUTION_UBUNTU:
    case DISTRIBUTION_DEBIAN:
        tool = "apt-get remove";
        break;
    case DISTRIBUTION_RHEL:
        tool = string_equal(remedy_rpm_tool(facts), "yum") ? "yum remove" : "dnf remove";
        break;
    case DISTRIBUTION_SUSE:
        tool = "zypper remove";
        break;
    case DISTRIBUTION_ARCH:
        tool = "pacman -R";
        break;
    case DISTRIBUTION_OTHER:
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT, "%s: remove the package %s", note,
                         package);
        return;
    }
    finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT, note, "sudo %s %s", tool, quoted);
}

/* The pattern of the lock that holds the package: that is what zypper removes. */
static const char *lock_of(const struct facts *facts, const char *package)
{
    static const char kind[] = "zypper lock: ";
    const struct strlist *holds = facts_list(facts, "package", "holds");
    for (size_t i = 0; holds && i < holds->count; i++)
        if (string_starts(holds->items[i], kind) &&
            fnmatch(holds->items[i] + strlen(kind), package, 0) == 0)
            return holds->items[i] + strlen(kind);
    return package;
}

char *remedy_release_hold(const struct rule_context *context, struct finding *finding,
                          const char *group)
{
    const struct facts *facts = context->facts;
    const char *hold = facts_string(facts, group, "hold");
    const char *name = facts_string(facts, group, "name");
    AUTO_FREE char *quoted = shell_quote(name);
    AUTO_FREE char *lock = shell_quote(lock_of(facts, name));
    if (string_equal(hold, "dpkg"))
        return mem_printf("sudo apt-mark unhold %s && ", quoted);
    if (string_equal(hold, "versionlock"))
        return mem_printf("sudo %s versionlock delete %s && ", remedy_rpm_tool(facts), quoted);
    if (string_equal(hold, "zypper lock"))
        return mem_printf("sudo zypper removelock %s && ", lock);
    finding_fix_note(
        finding, FIX_ADVICE | NEEDS_ROOT,
        "remove %s from %s in %s, because updates leave out what is listed there; then update",
        name, hold, facts_get(facts, group, "hold")->source);
    return mem_string("");
}
