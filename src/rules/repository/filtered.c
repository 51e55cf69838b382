/* SPDX-License-Identifier: MIT */
#include <fnmatch.h>
#include <string.h>

#include "base/shell.h"
#include "base/text.h"
#include "rules/engine/finding.h"
#include "rules/remedy/remedy.h"
#include "rules/repository/judges.h"
#include "rules/repository/run.h"
#include "rules/repository/source.h"

/* packages_filtered: what hides or locks the packages that the last run was to install. */
#define CAUSE "packages_filtered"

/* What hides a package: its kind as package.holds has it, the pattern, the word that it hits. */
struct hider {
    char *kind, *pattern, *package;
    const char *group; /* of the repository whose exclude= it is; NULL: another kind */
};

static void hider_free(struct hider *hider)
{
    free(hider->kind);
    free(hider->pattern);
    free(hider->package);
}

/* "nvidia-driver" of "nvidia-driver-3:570.86.15-1.el9.*" and of
 * "nvidia-driver-570.86.15-1.x86_64[cuda]": without version, release and quotes. free() it. */
static char *name_of(const char *package)
{
    package += strspn(package, "'");
    AUTO_FREE char *name = mem_string_n(package, strcspn(package, "['"));
    for (size_t i = 0; i < 2; i++) {
        char *hyphen = strrchr(name, '-');
        if (hyphen && hyphen != name && strchr("0123456789", hyphen[1]) &&
            strpbrk(hyphen, ".:") != NULL)
            *hyphen = '\0';
    }
    return mem_steal(&name);
}

static bool hits(const char *pattern, const char *package)
{
    AUTO_FREE char *hidden = name_of(pattern);
    AUTO_FREE char *name = name_of(package);
    return fnmatch(pattern, package, 0) == 0 || fnmatch(hidden, name, 0) == 0;
}

static struct hider made(const char *group, const char *kind, size_t kind_size, const char *pattern,
                         const char *package)
{
    return (struct hider){.group = group,
                          .kind = mem_string_n(kind, kind_size),
                          .pattern = mem_string(pattern),
                          .package = name_of(package)};
}

/* Of a .repo file. */
static bool find_excluding(const struct facts *facts, const char *package, struct hider *ret_hider)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "rpm_repository", &i)) != NULL;) {
        const struct strlist *excludes = facts_list(facts, group, "excludes");
        if (!facts_true(facts, group, "enabled"))
            continue;
        for (size_t k = 0; excludes && k < excludes->count; k++)
            if (hits(excludes->items[k], package)) {
                *ret_hider = made(group, "exclude", strlen("exclude"), excludes->items[k], package);
                return true;
            }
    }
    return false;
}

/* Of the package manager itself: versionlock, dnf.conf, zypper's locks. */
static bool find_hold(const struct facts *facts, const char *package, struct hider *ret_hider)
{
    const struct strlist *holds = facts_list(facts, "package", "holds");
    for (size_t i = 0; holds && i < holds->count; i++) {
        const char *colon = strstr(holds->items[i], ": ");
        if (colon == NULL || !hits(colon + 2, package))
            continue;
        *ret_hider =
            made(NULL, holds->items[i], (size_t)(colon - holds->items[i]), colon + 2, package);
        return true;
    }
    return false;
}

static bool find_hider(const struct facts *facts, const char *line, struct hider *ret_hider)
{
    AUTO_STRLIST struct strlist words = {0};
    strlist_split_words(&words, line);
    for (size_t i = 0; i < words.count; i++)
        if (find_excluding(facts, words.items[i], ret_hider) ||
            find_hold(facts, words.items[i], ret_hider))
            return true;
    return false;
}

static void hold_fixes(const struct facts *facts, struct finding *finding,
                       const struct hider *hider)
{
    AUTO_FREE char *name = shell_quote(hider->package);
    AUTO_FREE char *pattern = shell_quote(hider->pattern);
    const char *tool = remedy_rpm_tool(facts);
    if (string_equal(hider->kind, "versionlock"))
        finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT,
                            "if the package is to be updated; then install again",
                            "sudo %s versionlock delete %s", tool, name);
    else if (string_equal(hider->kind, "zypper lock"))
        finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT,
                            "if the package is to be updated; then install again",
                            "sudo zypper removelock %s", pattern);
    else
        finding_fix_note(finding, FIX_CHOICE | NEEDS_ROOT,
                         "remove %s from exclude= (excludepkgs=) in /etc/dnf/dnf.conf, and install "
                         "again; for a single installation: sudo %s install --disableexcludes=main "
                         "%s",
                         hider->pattern, tool, hider->package);
}

static void hold_found(struct rule_context *context, const char *run, const char *line,
                       const struct hider *hider)
{
    const struct facts *facts = context->facts;
    struct finding *finding =
        rule_found(context, source_severity(context),
                   "%s (%s) keeps the package manager from what it was to install: %s", hider->kind,
                   hider->pattern, line);
    finding_subject(finding, hider->pattern);
    finding_why(finding, "a locked or excluded package keeps its version, and is not installed if "
                         "it is not there; what needs another version of it cannot be installed");
    finding_evidence(finding, facts, run, "errors");
    finding_evidence(finding, facts, "package", "holds");
    hold_fixes(facts, finding, hider);
}

static void excluding_found(struct rule_context *context, const char *run, const char *line,
                            const struct hider *hider)
{
    const struct facts *facts = context->facts;
    const char *group = hider->group;
    const char *id = facts_string(facts, group, "id");
    struct finding *finding = rule_found(
        context, source_severity(context),
        "the repository %s leaves out what dnf was to install (%s): %s", id, hider->pattern, line);
    finding_subject(finding, id);
    finding_why(finding, "exclude= in a .repo file hides packages of that repository; dnf then "
                         "finds no package of that name");
    finding_evidence(finding, facts, run, "errors");
    finding_evidence(finding, facts, group, "excludes");
    finding_evidence(finding, facts, group, "file");
    finding_fix_note(finding, FIX_CHOICE | NEEDS_ROOT,
                     "remove %s from exclude= (excludepkgs=) in %s; or install the package from "
                     "the repository that should provide it",
                     hider->pattern, facts_string(facts, group, "file"));
}

/* The words in quotes behind a word of the line: 'nvidia-driver'. free() it; NULL: none. */
static char *quoted_behind(const char *line, const char *word)
{
    const char *at = strstr(line, word);
    const char *begin = at ? strchr(at, '\'') : NULL;
    const char *end = begin ? strchr(begin + 1, '\'') : NULL;
    return end ? mem_string_n(begin + 1, (size_t)(end - begin - 1)) : NULL;
}

static void stream_fixes(const struct rule_context *context, struct finding *finding,
                         const char *run)
{
    const struct strlist *errors = facts_list(context->facts, run, "errors");
    const char *tool = remedy_rpm_tool(context->facts);
    for (size_t i = 0; errors && i < errors->count; i++) {
        AUTO_FREE char *module = quoted_behind(errors->items[i], "switching of module ");
        AUTO_FREE char *stream = quoted_behind(errors->items[i], " to stream ");
        if (module == NULL || stream == NULL)
            continue;
        AUTO_FREE char *quoted = shell_quote(module);
        AUTO_FREE char *spec = mem_printf("%s:%s", module, stream);
        AUTO_FREE char *both = shell_quote(spec);
        finding_fix_command(
            finding, FIX_CHOICE | NEEDS_ROOT, "if the new stream is wanted; then install again",
            "sudo %s module reset %s && sudo %s module enable %s", tool, quoted, tool, both);
        return;
    }
    finding_fix_note(finding, FIX_CHOICE | NEEDS_ROOT,
                     "%s module list shows the streams: reset the module (sudo %s module reset "
                     "MODULE), enable the stream that has the package (sudo %s module enable "
                     "MODULE:STREAM), and install again",
                     tool, tool, tool);
}

/* A package of a module is seen only while its stream is enabled. */
static void stream_found(struct rule_context *context, const char *run, const char *line)
{
    const struct facts *facts = context->facts;
    const struct strlist *streams = facts_list(facts, "package", "streams");
    AUTO_FREE char *enabled = streams && streams->count > 0 ? strlist_join(streams, ", ") : NULL;
    struct finding *finding =
        enabled ? rule_found(context, source_severity(context),
                             "the enabled module streams (%s) do not have what dnf was to install: "
                             "%s",
                             enabled, line)
                : rule_found(context, source_severity(context),
                             "no module stream is enabled, and what dnf was to install is in one: "
                             "%s",
                             line);
    finding_subject(finding, enabled ? enabled : "module");
    finding_why(finding, "a package of a module can be installed only from the stream that is "
                         "enabled; dnf does not see the packages of the other streams");
    finding_evidence(finding, facts, run, "errors");
    finding_evidence(finding, facts, "package", "streams");
    stream_fixes(context, finding, run);
}

static bool is_about_streams(const char *line)
{
    return strstr(line, "modular filtering") != NULL || strstr(line, "switch enabled streams");
}

void judge_packages_filtered(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *run = NULL;
    AUTO(hider_free) struct hider hider = {.kind = NULL};
    if (!source_require(context, "package_run") ||
        !rule_require_fact(context, "rpm_repository", "count"))
        return;
    const char *line = run_error(context, CAUSE, &run);
    if (line == NULL)
        return;
    if (is_about_streams(line))
        stream_found(context, run, line);
    else if (!find_hider(facts, line, &hider))
        return;
    else if (hider.group)
        excluding_found(context, run, line, &hider);
    else
        hold_found(context, run, line, &hider);
}
