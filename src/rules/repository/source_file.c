/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/shell.h"
#include "base/text.h"
#include "rules/engine/finding.h"
#include "rules/repository/judges.h"
#include "rules/repository/source.h"

/* Files of package sources that make a package manager give up, and two entries that contradict
 * one another. */
#define KIND        "source_file"
#define ENTRY       "apt_source"
#define PACMAN_CONF "/etc/pacman.conf"

static bool is_page(const char *text)
{
    return text && text[strspn(text, " \t")] == '<';
}

static void file_fixes(struct finding *finding, const char *path)
{
    AUTO_FREE char *quoted = shell_quote(path);
    finding_fix_command(
        finding, FIX_STEP | NEEDS_ROOT,
        "no package manager reads a file of that name; then fetch the file again, from "
        "the address in the owner's current instructions",
        "sudo mv -nT %s %s.disabled", quoted, quoted);
}

void judge_apt_list_is_html(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    int64_t line = 0;
    size_t cursor = 0;
    if (!source_require(context, KIND))
        return;
    group = facts_next(facts, KIND, &cursor);
    const char *pacman = facts_string(facts, "pacman", "refused");
    const char *path = group ? facts_string(facts, group, "path") : NULL;
    const char *text = group ? facts_string(facts, group, "text") : pacman;
    if (path == NULL && pacman)
        path = PACMAN_CONF;
    if (path == NULL)
        return;
    line = 1;
    if (group)
        facts_integer(facts, group, "line", &line);
    bool skipped = string_starts(path, "/etc/yum.repos.d/");
    enum severity severity = skipped ? SEVERITY_WARN : source_severity(context);
    struct finding *finding;
    if (is_page(text))
        finding =
            rule_found(context, severity, "%s is a web page, not a list of package sources", path);
    else
        finding =
            rule_found(context, source_severity(context),
                       "line %lld of %s is not an entry of package sources", (long long)line, path);
    finding_subject(finding, path);
    if (skipped)
        finding_why(finding, "dnf passes over the file (\"failed loading\"), and does not know the "
                             "repository that it should have");
    else
        finding_why(finding,
                    "the package manager reads no source at all while one file cannot be read "
                    "(\"The list of sources could not be read\"): it installs and updates nothing");
    if (group) {
        finding_evidence(finding, facts, group, "line");
        finding_evidence(finding, facts, group, "text");
        file_fixes(finding, path);
    } else {
        finding_evidence(finding, facts, "pacman", "refused");
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "restore " PACMAN_CONF " (the package pacman has it)");
    }
}

static bool same_keyrings(const struct facts *facts, const char *a, const char *b)
{
    const struct strlist *left = facts_list(facts, a, "signed_by");
    const struct strlist *right = facts_list(facts, b, "signed_by");
    if (left == NULL || right == NULL)
        return true;
    bool same = left->count == right->count;
    for (size_t i = 0; same && i < left->count; i++)
        same = strlist_has(right, left->items[i]);
    return same;
}

/* An entry behind the cursor for the same repository with another Signed-By; NULL: none. */
static const char *contradicting(const struct facts *facts, const char *group, size_t cursor)
{
    const char *other;
    while ((other = facts_next(facts, ENTRY, &cursor)) != NULL)
        if (source_is_same(facts, group, other) && !same_keyrings(facts, group, other) &&
            !source_is_joined(facts, group) && !source_is_joined(facts, other))
            return other;
    return NULL;
}

static void conflict_found(struct rule_context *context, const char *first, const char *second)
{
    const struct facts *facts = context->facts;
    const char *older = source_names_keyring(facts, first) ? second : first;
    const char *newer = older == first ? second : first;
    const char *file = facts_string(facts, older, "file");
    int64_t line = 0;
    AUTO_FREE char *place = source_place(facts, older);
    AUTO_FREE char *other = source_place(facts, newer);
    AUTO_FREE char *quoted = shell_quote(file ? file : "");
    bool placed = file && facts_integer(facts, older, "line", &line);
    struct finding *finding = rule_found(
        context, source_severity(context),
        "%s and %s name the same repository with different keyrings (Signed-By)", place, other);
    finding_subject(finding, place);
    finding_why(finding, "apt then reads no source at all: \"Conflicting values set for option "
                         "Signed-By\"");
    finding_evidence(finding, facts, older, "uri");
    finding_evidence(finding, facts, older, "signed_by");
    finding_evidence(finding, facts, newer, "signed_by");
    if (placed && string_ends(file, ".list"))
        finding_fix_command(finding, FIX_STEP | NEEDS_ROOT,
                            source_names_keyring(facts, older)
                                ? "keep the one whose keyring is right"
                                : "the other entry names its keyring",
                            "sudo sed -i '%llds/^/# /' %s", (long long)line, quoted);
    else
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "remove one of both entries, or let both name the same keyring");
}

void judge_apt_signed_by_conflict(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    if (!source_require(context, ENTRY))
        return;
    for (size_t i = 0; (group = facts_next(facts, ENTRY, &i)) != NULL;) {
        const char *other = contradicting(facts, group, i);
        if (other) {
            conflict_found(context, group, other);
            return;
        }
    }
}
