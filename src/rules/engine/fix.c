/* SPDX-License-Identifier: MIT */
#include <stdarg.h>

#include "base/shell.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"

static struct finding_fix *fix_add(struct finding *finding, unsigned what)
{
    struct finding_fix *fix = vec_push(finding->fixes, finding->fix_count, finding->fix_capacity);
    fix->kind = (enum fix_kind)(what & ~(unsigned)(NEEDS_ROOT | THEN_REBOOT | FOR_NOW));
    fix->root = what & NEEDS_ROOT;
    fix->reboot = what & THEN_REBOOT;
    fix->for_now = what & FOR_NOW;
    return fix;
}

void finding_fix_command(struct finding *finding, unsigned what, const char *note,
                         const char *format, ...)
{
    struct finding_fix *fix = fix_add(finding, what);
    fix->note = mem_string(note);
    va_list arguments;
    va_start(arguments, format);
    fix->command = mem_vprintf(format, arguments);
    va_end(arguments);
}

void finding_fix_note(struct finding *finding, unsigned what, const char *format, ...)
{
    struct finding_fix *fix = fix_add(finding, what);
    va_list arguments;
    va_start(arguments, format);
    fix->note = mem_vprintf(format, arguments);
    va_end(arguments);
}

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
    struct finding_fix *fix = fix_add(finding, FIX_RUN | NEEDS_ROOT);
    fix->note = mem_string(note);
    add_program(fix, argv);
}

void finding_fix_run_then(struct finding *finding, const char *const argv[])
{
    add_program(last_fix(finding), argv);
}

void finding_fix_kind(struct finding *finding, enum fix_kind kind)
{
    last_fix(finding)->kind = kind;
}
