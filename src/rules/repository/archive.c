/* SPDX-License-Identifier: MIT */
#include "rules/repository/archive.h"

#include "base/text.h"
#include "rules/engine/finding.h"
#include "rules/repository/source.h"

#define KIND "apt_archive"

static bool is_nvidias(const struct facts *facts, const char *group)
{
    static const char *const names[] = {"origin", "name"};
    static const char *const words[] = {"nvidia", "cuda"};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 2; k++) {
            const char *text = facts_string(facts, group, names[i]);
            if (text && string_contains_nocase(text, words[k]))
                return true;
        }
    return false;
}

static void refused_found(struct rule_context *context, const char *group)
{
    const struct facts *facts = context->facts;
    const char *name = facts_string(facts, group, "name");
    const char *origin = facts_string(facts, group, "origin");
    int64_t bytes = 0, expected = 0;
    facts_integer(facts, group, "bytes", &bytes);
    facts_integer(facts, group, "expected_bytes", &expected);
    enum severity severity = source_severity(context);
    struct finding *finding =
        bytes == expected || bytes == 0 /* apt keeps nothing of one that is longer or shorter */
            ? rule_found(context, severity,
                         "the package %s that arrived from %s is not the one of its index (%lld "
                         "bytes)",
                         name, origin, (long long)expected)
            : rule_found(context, severity,
                         "the package %s that arrived from %s has %lld bytes, its index says %lld",
                         name, origin, (long long)bytes, (long long)expected);
    finding_subject(finding, name);
    finding_why(finding, "the repository is being changed, or a proxy on the way serves another "
                         "file: apt refuses the package (\"File has unexpected size\", \"Hash Sum "
                         "mismatch\")");
    finding_evidence(finding, facts, group, "bytes");
    finding_evidence(finding, facts, group, "expected_bytes");
    finding_evidence(finding, facts, group, "version");
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT,
                        "and try again in some hours; behind a caching proxy, empty its cache",
                        "sudo apt-get clean && sudo apt-get update");
}

bool archive_find_refused(struct rule_context *context)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(context->facts, KIND, &i)) != NULL;)
        if (is_nvidias(context->facts, group)) {
            refused_found(context, group);
            return true;
        }
    return false;
}
