/* SPDX-License-Identifier: MIT */
#include "rules/repository/run.h"

#include "rules/engine/finding.h"
#include "rules/repository/source.h"

struct finding *run_found(struct rule_context *context, const char *group, const char *line)
{
    const char *name = facts_string(context->facts, group, "name");
    struct finding *finding =
        rule_found(context, source_severity(context), "the last run of %s failed: %s", name, line);
    finding_subject(finding, name);
    finding_evidence(finding, context->facts, group, "errors");
    return finding;
}
