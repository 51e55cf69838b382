/* SPDX-License-Identifier: MIT */
#include "rules/repository/run.h"

#include <fnmatch.h>
#include <string.h>

#include "base/text.h"
#include "manifest/error/error.h"
#include "rules/engine/finding.h"
#include "rules/repository/judges.h"
#include "rules/repository/source.h"

#define KIND "package_run"

static bool stands_for(const struct rule_context *context, const char *line, const char *cause)
{
    const struct manifest_error *row =
        manifest_error_find(context->manifest, line).rows[ERRORS_MESSAGE];
    return row && strlist_has(&row->findings, cause);
}

/* Of what is not built here, only what is about NVIDIA's packages. */
static bool counts(const struct rule_context *context, const char *line)
{
    return context->purpose == PURPOSE_BUILD || string_contains_nocase(line, "nvidia") ||
           string_contains_nocase(line, "cuda");
}

const char *run_error(const struct rule_context *context, const char *cause, const char **ret_group)
{
    const struct facts *facts = context->facts;
    const char *group;
    int64_t repositories = 0;
    /* A log without any repository is of a run for another root. */
    if (!facts_integer(facts, "rpm_repository", "count", &repositories) || repositories == 0)
        return NULL;
    for (size_t i = 0; (group = facts_next(facts, KIND, &i)) != NULL;) {
        const struct strlist *errors = facts_list(facts, group, "errors");
        for (size_t k = 0; errors && k < errors->count; k++) {
            if (!counts(context, errors->items[k]) || !stands_for(context, errors->items[k], cause))
                continue;
            *ret_group = group;
            return errors->items[k];
        }
    }
    return NULL;
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

/* The repository that leaves out a package which the line names; NULL: none. */
static const char *excluding(const struct facts *facts, const char *line, const char **ret_pattern)
{
    AUTO_STRLIST struct strlist words = {0};
    const char *group;
    strlist_split_words(&words, line);
    for (size_t i = 0; (group = facts_next(facts, "rpm_repository", &i)) != NULL;) {
        const struct strlist *excludes = facts_list(facts, group, "excludes");
        if (!facts_true(facts, group, "enabled"))
            continue;
        for (size_t k = 0; excludes && k < excludes->count; k++)
            for (size_t w = 0; w < words.count; w++)
                if (fnmatch(excludes->items[k], words.items[w], 0) == 0) {
                    *ret_pattern = excludes->items[k];
                    return group;
                }
    }
    return NULL;
}

void judge_packages_filtered(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *run = NULL;
    const char *pattern = NULL;
    if (!source_require(context, KIND) || !rule_require_fact(context, "rpm_repository", "count"))
        return;
    const char *line = run_error(context, "packages_filtered", &run);
    const char *group = line ? excluding(facts, line, &pattern) : NULL;
    if (group == NULL)
        return;
    const char *id = facts_string(facts, group, "id");
    struct finding *finding = rule_found(
        context, source_severity(context),
        "the repository %s leaves out what dnf was to install (%s): %s", id, pattern, line);
    finding_subject(finding, id);
    finding_why(finding, "exclude= in a .repo file hides packages of that repository; dnf then "
                         "finds no package of that name");
    finding_evidence(finding, facts, run, "errors");
    finding_evidence(finding, facts, group, "excludes");
    finding_evidence(finding, facts, group, "file");
    finding_fix_note(finding, FIX_CHOICE | NEEDS_ROOT,
                     "take %s out of exclude= (excludepkgs=) in %s; or install the package from "
                     "the repository that is meant to give it",
                     pattern, facts_string(facts, group, "file"));
}
