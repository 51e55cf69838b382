/* SPDX-License-Identifier: MIT */
#include "base/path.h"
#include "base/shell.h"
#include "base/text.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"
#include "rules/repository/judges.h"
#include "rules/repository/source.h"

/* stale_diversion: dpkg puts a library of the driver elsewhere, for a package that is gone. */
#define KIND "diversion"

/* OpenGL alone is for the screen. */
static bool is_for_cuda(const char *path)
{
    static const char *const names[] = {
        "libcuda.",        "libnvidia-ml.", "libnvidia-ptxjitcompiler.",
        "libnvidia-nvvm.", "libnvcuvid.",   "nvidia-smi"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (string_starts(path_base(path), names[i]))
            return true;
    return false;
}

/* The library is where nothing looks for it, and nothing is in its place. */
static bool hides(const struct facts *facts, const char *group)
{
    bool there = true, installed = true;
    return facts_boolean(facts, group, "there", &there) && !there &&
           facts_boolean(facts, group, "by_installed", &installed) && !installed &&
           facts_true(facts, group, "diverted_there");
}

static void hidden_found(struct rule_context *context, const char *group)
{
    const struct facts *facts = context->facts;
    const char *path = facts_string(facts, group, "path");
    const char *to = facts_string(facts, group, "to");
    const char *by = facts_string(facts, group, "by");
    AUTO_FREE char *quoted = shell_quote(path);
    AUTO_FREE char *whose = by ? mem_printf("of the package %s, which is not installed", by)
                               : mem_string("of this machine's administrator");
    struct finding *finding =
        rule_found(context, is_for_cuda(path) ? severity_for_use(context->purpose) : SEVERITY_INFO,
                   "%s is not there: dpkg puts it at %s, by a diversion %s", path, to, whose);
    finding_subject(finding, path);
    finding_why(finding, "dpkg moves the file of every package that has this path, until the "
                         "diversion is removed: installing the driver again does not help");
    finding_evidence(finding, facts, group, "to");
    finding_evidence(finding, facts, group, "by");
    finding_evidence(finding, facts, group, "by_installed");
    finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT, "moves the file back",
                        "sudo dpkg-divert%s --rename --remove %s && sudo ldconfig",
                        by ? "" : " --local", quoted);
}

void judge_stale_diversion(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *worst = NULL;
    const char *group;
    if (!source_require(context, KIND))
        return;
    for (size_t i = 0; (group = facts_next(facts, KIND, &i)) != NULL;)
        if (hides(facts, group) &&
            (worst == NULL || (!is_for_cuda(facts_string(facts, worst, "path")) &&
                               is_for_cuda(facts_string(facts, group, "path")))))
            worst = group;
    if (worst)
        hidden_found(context, worst);
}
