/* SPDX-License-Identifier: MIT */
#include "cli/doctor/fixes.h"

#include <stdarg.h>

#include "base/shell.h"
#include "cli/engine/output.h"
#include "host/child/command.h"
#include "rules/engine/finding.h"

/* A module that starts several GPUs takes its time. */
#define COMMAND_TIMEOUT_MS 300000

const struct option option_fix = {
    .name = "fix",
    .help =
        "instead of the report, print a shell script that fixes the machine, safest fixes first"};

/* No twin: what is left in an environment must not change a machine. */
const struct option option_yes = {
    .name = "yes",
    .help = "with --fix, as root: load modules, create links and run ldconfig where that fixes "
            "something, check again, and print a script of the remaining fixes",
    .no_twin = true};

bool fixes_check(const struct session *session, const struct arguments *arguments,
                 struct error *error)
{
    static const char *const elsewhere[] = {"root", "facts", "assume-driver", "assume-gpu", "from"};
    if (arguments_have(arguments, "yes") && !arguments_have(arguments, "fix"))
        return usage_error(error, session->program, NULL, NULL, "--yes needs --fix");
    if (!arguments_have(arguments, "fix"))
        return true;
    if (!arguments_have(arguments, "yes")) {
        if (string_equal(session_format(arguments), "text"))
            return true;
        return usage_error(error, session->program, NULL, NULL,
                           "%s cannot be used with --fix, which prints a shell script",
                           arguments_origin(arguments, "format"));
    }
    for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++) {
        if (!arguments_have(arguments, elsewhere[i]))
            continue;
        error_set(error, ERROR_USAGE,
                  "--yes fixes the machine that gpuenv runs on, but %s checks another machine",
                  arguments_origin(arguments, elsewhere[i]));
        return error_next(error, "without --yes, --fix prints a script for the checked machine");
    }
    return true;
}

/* One program to run, for one finding. Both belong to the judgement. */
struct step {
    const struct finding *finding;
    const struct strlist *words;
};
struct steps {
    struct step *items;
    size_t count, capacity;
};
#define AUTO_STEPS AUTO(steps_free)

static void steps_free(struct steps *steps)
{
    free(steps->items);
}

void fixes_ran_free(struct fixes_ran *ran)
{
    for (size_t i = 0; i < ran->count; i++) {
        free(ran->items[i].command);
        free(ran->items[i].detail);
        free(ran->items[i].said);
    }
    free(ran->items);
    *ran = (struct fixes_ran){0};
}

static bool is_ours(const struct finding *finding, const struct finding_fix *fix)
{
    return fix->kind == FIX_RUN && finding->severity != SEVERITY_INFO && finding->caused_by == NULL;
}

static char *command_of(const struct strlist *words)
{
    AUTO_STRLIST struct strlist quoted = {0};
    for (size_t i = 0; i < words->count; i++)
        strlist_take(&quoted, shell_quote(words->items[i]));
    return strlist_join(&quoted, " ");
}

/* What two findings ask for, or one asks for again, is done once. */
static bool is_planned(const struct steps *steps, const struct fixes_ran *ran,
                       const struct strlist *words)
{
    AUTO_FREE char *command = command_of(words);
    bool planned = false;
    for (size_t i = 0; i < ran->count && !planned; i++)
        planned = string_equal(command, ran->items[i].command);
    for (size_t i = 0; i < steps->count && !planned; i++) {
        AUTO_FREE char *other = command_of(steps->items[i].words);
        planned = string_equal(command, other);
    }
    return planned;
}

static void plan_fix(const struct finding *finding, const struct finding_fix *fix,
                     const struct fixes_ran *ran, struct steps *steps)
{
    for (size_t i = 0; i < fix->program_count; i++) {
        if (is_planned(steps, ran, &fix->program[i]))
            continue;
        struct step *step = vec_push(steps->items, steps->count, steps->capacity);
        step->finding = finding;
        step->words = &fix->program[i];
    }
}

static void plan(const struct judgement *judgement, const struct fixes_ran *ran,
                 struct steps *steps)
{
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = judgement->findings[i];
        for (size_t k = 0; k < finding->fix_count; k++)
            if (is_ours(finding, &finding->fixes[k]))
                plan_fix(finding, &finding->fixes[k], ran, steps);
    }
}

static bool refuse(const struct steps *steps, struct error *error)
{
    AUTO_STRLIST struct strlist commands = {0};
    for (size_t i = 0; i < steps->count; i++)
        strlist_take(&commands, command_of(steps->items[i].words));
    AUTO_FREE char *list = strlist_join(&commands, "; ");
    error_set(error, ERROR_PERMISSION, "nothing was run: only root can run this: %s", list);
    return error_next(error, "sudo gpuenv doctor --fix --yes runs them; without --yes it prints "
                             "the script");
}

static void tell(const struct session *session, const struct report_ran *ran, const char *format,
                 ...) __attribute__((format(printf, 3, 4)));

static void tell(const struct session *session, const struct report_ran *ran, const char *format,
                 ...)
{
    AUTO_TEXT struct text words = {0};
    AUTO_TEXT struct text line = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&words, format, arguments);
    va_end(arguments);
    text_printf(&line, "%s: %s: ", session->program, ran->code);
    text_append(&line, text_string(&words));
    text_append_char(&line, '\n');
    output_stderr(&line);
}

/* What the command wrote, each line made safe and set in. */
static void tell_said(const struct report_ran *ran)
{
    AUTO_FREE char *copy = mem_string(ran->said);
    AUTO_TEXT struct text text = {0};
    for (char *rest = copy, *line; (line = string_next_line(&rest)) != NULL;) {
        text_append(&text, "    ");
        text_append_safe(&text, line);
        text_append_char(&text, '\n');
    }
    output_stderr(&text);
}

static void run_step(const struct session *session, const struct step *step, struct report_ran *ran)
{
    AUTO_ERROR struct error error = {0};
    AUTO_CHILD_RESULT struct child_result result = {0};
    tell(session, ran, "running %s", ran->command);
    if (!command_run(session->live, step->words, COMMAND_TIMEOUT_MS, &result, &error)) {
        AUTO_TEXT struct text why = {0};
        error_format(&error, &why);
        ran->detail = text_steal(&why);
        ran->status = RAN_FAILED;
    } else {
        ran->detail = child_result_problem(&result);
        ran->status = ran->detail ? RAN_FAILED : RAN_DONE;
    }
    text_append(&result.output, text_string(&result.errors));
    ran->said = mem_string(text_string(&result.output));
    tell_said(ran);
    if (ran->status == RAN_DONE)
        tell(session, ran, "done");
    else
        tell(session, ran, "failed: %s", ran->detail);
}

static void skip_step(const struct session *session, struct report_ran *ran)
{
    ran->status = RAN_NOT;
    ran->detail = mem_string("a command before it failed");
    ran->said = mem_string("");
    tell(session, ran, "not run, because an earlier command failed: %s", ran->command);
}

static void tell_nothing(const struct session *session)
{
    AUTO_TEXT struct text line = {0};
    text_printf(&line, "%s: nothing to run: no finding here has a fix that --yes can run\n",
                session->program);
    output_stderr(&line);
}

bool fixes_run(const struct session *session, const struct judgement *judgement,
               struct fixes_ran *ran, size_t *ret_count, struct error *error)
{
    AUTO_STEPS struct steps steps = {0};
    const struct finding *failed = NULL;
    plan(judgement, ran, &steps);
    *ret_count = steps.count;
    if (steps.count > 0 && host_user_id(session->live) != 0)
        return refuse(&steps, error);
    if (steps.count == 0 && ran->count == 0)
        tell_nothing(session);
    for (size_t i = 0; i < steps.count; i++) {
        const struct step *step = &steps.items[i];
        struct report_ran *one = vec_push(ran->items, ran->count, ran->capacity);
        one->code = step->finding->code;
        one->command = command_of(step->words);
        if (failed == step->finding)
            skip_step(session, one);
        else
            run_step(session, step, one);
        if (one->status == RAN_FAILED)
            failed = step->finding;
    }
    return true;
}
