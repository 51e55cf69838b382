/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework_load.h"
#include "rules/framework/framework_partial.h"
#include "rules/framework/judges.h"
#include "rules/query/framework_choice.h"

/* glibc_too_old: libraries that need a newer C library than programs get here. */

struct needs {
    struct rule_context *context;
    const char *have; /* as found */
    struct version version;
};

static bool is_newer(const struct needs *needs, const char *text)
{
    struct version wanted;
    return text && version_parse(text, &wanted) && version_compare(&wanted, &needs->version) > 0;
}

/* The C library comes from a directory of LD_LIBRARY_PATH: not the system's own. */
static bool is_foreign(const struct facts *facts, const char **ret_path)
{
    const struct fact *fact = facts_get(facts, "os", "glibc_version");
    const char *list = facts_string(facts, "environment", "LD_LIBRARY_PATH");
    AUTO_FREE char *copy = mem_string(list);
    char *rest = copy;
    *ret_path = fact ? fact->source : NULL;
    for (char *part; rest && *ret_path && (part = strsep(&rest, ":")) != NULL;)
        if (*part == '/' && path_is_below(*ret_path, part))
            return true;
    return false;
}

static void add_rest(const struct needs *needs, struct finding *finding)
{
    struct rule_context *context = needs->context;
    const char *path;
    finding_evidence(finding, context->facts, "os", "glibc_version");
    if (is_foreign(context->facts, &path)) {
        finding_why(finding,
                    "LD_LIBRARY_PATH puts %s (glibc %s) before the system's own C library; that "
                    "file belongs to another system, such as this container's host",
                    path, needs->have);
        finding_evidence(finding, context->facts, "environment", "LD_LIBRARY_PATH");
        finding_fix_note(finding, FIX_ADVICE,
                         "remove the directory of %s from LD_LIBRARY_PATH, or do not mount the "
                         "host's libraries there",
                         path);
        return;
    }
    finding_why(
        finding,
        "a library linked with a newer glibc does not load with an older one (\"version `GLIBC_…' "
        "not found\"), and glibc, a part of the distribution, cannot be replaced on its own");
    finding_fix_note(finding, FIX_ADVICE,
                     "run the program in a container with a newer distribution; containers use the "
                     "host's driver");
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                     "or use a newer distribution, or releases that are built for glibc %s: gpuenv "
                     "resolve cuda cudnn shows which CUDA is listed for this system",
                     needs->have);
}

static bool judge_framework(const struct needs *needs, const struct framework *framework)
{
    struct rule_context *context = needs->context;
    const char *wanted = facts_string(context->facts, framework->group, "glibc_needed");
    if (!is_newer(needs, wanted))
        return false;
    AUTO_FREE char *words = framework_words(framework);
    struct finding *finding =
        rule_found(context, framework_severity(context, framework),
                   "%s needs glibc %s, but this system has %s", words, wanted, needs->have);
    framework_finding(context, finding, framework);
    finding_evidence(finding, context->facts, framework->group, "glibc_needed");
    add_rest(needs, finding);
    const struct framework_choice *choice =
        framework_choice_find(context->choices, framework->name);
    if (choice && choice->glibc.count && version_compare(&choice->glibc, &needs->version) <= 0)
        framework_fix_build(context, finding, framework);
    return true;
}

/* A library of its environment that it loads: conda's packages have their own. */
static bool judge_loads(const struct needs *needs, const struct framework_loads *loads,
                        const struct framework *framework)
{
    struct rule_context *context = needs->context;
    const struct facts *facts = context->facts;
    for (size_t i = 0; i < loads->count; i++) {
        const struct framework_load *load = &loads->items[i];
        const char *group = load->framework == framework && load->path
                                ? judged_library_at(facts, load->real_path)
                                : NULL;
        const char *wanted = group ? facts_string(facts, group, "glibc_needed") : NULL;
        if (!is_newer(needs, wanted))
            continue;
        AUTO_FREE char *words = framework_words(framework);
        struct finding *finding =
            rule_found(context, framework_severity(context, framework),
                       "%s loads %s, which needs glibc %s, but this system has %s", words,
                       load->path, wanted, needs->have);
        framework_finding(context, finding, framework);
        finding_evidence(finding, facts, group, "glibc_needed");
        add_rest(needs, finding);
        framework_fix_build(context, finding, framework);
        return true;
    }
    return false;
}

/* Those of environments are judged with their framework. */
static bool judge_library(const struct needs *needs, const char *group)
{
    struct rule_context *context = needs->context;
    const struct facts *facts = context->facts;
    const char *wanted = facts_string(facts, group, "glibc_needed");
    const char *path = facts_string(facts, group, "path");
    if (!is_newer(needs, wanted) || path == NULL || !judged_library_fits(facts, group) ||
        judged_library_has_origin(facts, group, "wheel") ||
        judged_library_has_origin(facts, group, "conda"))
        return false;
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "%s needs glibc %s, but programs here get %s", path, wanted, needs->have);
    finding_subject(finding, path);
    finding_evidence(finding, facts, group, "glibc_needed");
    add_rest(needs, finding);
    return true;
}

static bool something_needs(const struct facts *facts, const struct frameworks *frameworks)
{
    const char *group;
    for (size_t i = 0; i < frameworks->count; i++)
        if (facts_string(facts, frameworks->items[i].group, "glibc_needed"))
            return true;
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;)
        if (facts_string(facts, group, "glibc_needed"))
            return true;
    return false;
}

void judge_glibc_too_old(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(facts, context->manifest);
    AUTO_LOADS struct framework_loads loads = framework_loads_of(facts, &frameworks);
    struct needs needs = {.context = context, .have = facts_string(facts, "os", "glibc_version")};
    const struct fact *fact = facts_get(facts, "os", "glibc_version");
    const char *group;
    bool any = false;
    if (fact && fact->state == FACT_UNKNOWN && something_needs(facts, &frameworks)) {
        rule_require_fact(context, "os", "glibc_version");
        return;
    }
    if (needs.have == NULL || !version_parse(needs.have, &needs.version)) {
        rule_skip(context, "the glibc version here is not known");
        return;
    }
    for (size_t i = 0; i < frameworks.count; i++)
        any = judge_framework(&needs, &frameworks.items[i]) ||
              judge_loads(&needs, &loads, &frameworks.items[i]) || any;
    for (size_t i = 0; !any && (group = facts_next(facts, "library", &i)) != NULL;)
        any = judge_library(&needs, group);
}
