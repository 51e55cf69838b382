/* SPDX-License-Identifier: MIT */
#include "rules/repository/run.h"

#include <string.h>

#include "base/text.h"
#include "rules/engine/finding.h"
#include "rules/repository/source.h"

/* "610.43.02" of "nvidia-driver-libs-3:610.43.02-1.fc44.i686": without epoch and release. free()
 * it; NULL: there is none. */
static char *version_of(const char *package)
{
    AUTO_FREE char *name = mem_string_n(package, strcspn(package, " "));
    char *release = strrchr(name, '-');
    if (release == NULL)
        return NULL;
    *release = '\0';
    const char *version = strrchr(name, '-');
    if (version == NULL)
        return NULL;
    const char *colon = strchr(version, ':');
    version = colon ? colon + 1 : version + 1;
    return version[0] >= '0' && version[0] <= '9' ? mem_string(version) : NULL;
}

bool run_lacks_own_part(const char *line)
{
    static const char begin[] = "nothing provides ", middle[] = " needed by ";
    static const char zypper[] = "the to be installed ";
    const char *need = strstr(line, begin);
    const char *package = need ? strstr(need, middle) : NULL;
    if (package == NULL)
        return false;
    AUTO_FREE char *needed = mem_string_n(need, (size_t)(package - need));
    package += strlen(middle);
    package += string_starts(package, zypper) ? strlen(zypper) : 0;
    AUTO_FREE char *version = version_of(package);
    return version && strchr(version, '.') && strstr(needed, version) != NULL;
}

struct finding *run_found(struct rule_context *context, const char *group, const char *line)
{
    const char *name = facts_string(context->facts, group, "name");
    struct finding *finding =
        rule_found(context, source_severity(context), "the last run of %s failed: %s", name, line);
    finding_subject(finding, name);
    finding_evidence(finding, context->facts, group, "errors");
    return finding;
}
