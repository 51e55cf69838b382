/* SPDX-License-Identifier: MIT */
#include "rules/driver/judges.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"
#include "rules/remedy/remedy.h"

/* vendor_library_not_trusted: gpuenv runs as root, and would have had to load what others than root
 * could have put there. What those libraries would have answered is missing. */

static void add_fixes(const struct rule_context *context, struct finding *finding,
                      const char *library)
{
    finding_fix_note(finding, FIX_ADVICE,
                     "run gpuenv as an ordinary user; as root, gpuenv calls only libraries that "
                     "root alone can change");
    const char *path = judged_loaded_path(context->facts, library);
    if (path == NULL)
        return;
    AUTO_FREE char *quoted = shell_quote(path);
    finding_fix_command(
        finding, FIX_LOOK,
        "shows who owns the file and each directory above it; make root the owner of each (sudo "
        "chown root) and remove write access for others (sudo chmod go-w)",
        "namei -l %s", quoted);
}

/* names: the libraries; the first one's reason stands for all, -v has each. */
static void untrusted_found(struct rule_context *context, const struct strlist *names,
                            const struct strlist *groups)
{
    const struct facts *facts = context->facts;
    AUTO_FREE char *all = strlist_join(names, ", ");
    struct finding *finding =
        rule_found(context, SEVERITY_INFO, "gpuenv did not call %s: %s%s", all,
                   facts_string(facts, groups->items[0], "untrusted"),
                   names->count > 1 ? "; the same applies to the other libraries" : "");
    finding_subject(finding, all);
    finding_why(finding,
                "gpuenv runs as root, and loading a library that others can change would run their "
                "code as root; what the library would have returned is not known");
    for (size_t i = 0; i < groups->count; i++)
        finding_evidence(finding, facts, groups->items[i], "untrusted");
    add_fixes(context, finding, names->items[0]);
}

void judge_vendor_library_not_trusted(struct rule_context *context)
{
    AUTO_STRLIST struct strlist names = {0};
    AUTO_STRLIST struct strlist groups = {0};
    const char *group = NULL;
    bool asked = false;
    for (size_t i = 0; (group = facts_next(context->facts, "answer", &i)) != NULL;) {
        const char *library = facts_string(context->facts, group, "library");
        asked = true;
        if (library == NULL || facts_string(context->facts, group, "untrusted") == NULL)
            continue;
        strlist_add(&names, library);
        strlist_add(&groups, group);
    }
    if (names.count > 0)
        untrusted_found(context, &names, &groups);
    else if (!asked)
        rule_skip(context, "no vendor library had to be called");
}
