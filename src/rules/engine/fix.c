/* SPDX-License-Identifier: MIT */
#include "base/shell.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"

static void add_program(struct finding_fix *fix, const char *const argv[])
{
    AUTO_TEXT struct text command = {0};
    struct strlist *words = vec_push(fix->program, fix->program_count, fix->program_capacity);
    if (fix->command)
        text_printf(&command, "%s && ", fix->command);
    text_append(&command, "sudo");
    for (size_t i = 0; argv[i]; i++) {
        AUTO_FREE char *quoted = shell_quote(argv[i]);
        text_printf(&command, " %s", quoted);
        strlist_add(words, argv[i]);
    }
    free(fix->command);
    fix->command = text_steal(&command);
}

static struct finding_fix *last_fix(struct finding *finding)
{
    return &finding->fixes[finding->fix_count - 1];
}

void finding_fix_run(struct finding *finding, const char *note, const char *const argv[])
{
    finding_fix_command(finding, true, false, note, NULL);
    finding_fix_kind(finding, FIX_RUN);
    add_program(last_fix(finding), argv);
}

void finding_fix_run_then(struct finding *finding, const char *const argv[])
{
    add_program(last_fix(finding), argv);
}

void finding_fix_kind(struct finding *finding, enum fix_kind kind)
{
    last_fix(finding)->kind = kind;
}
