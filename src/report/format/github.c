/* SPDX-License-Identifier: MIT */
#include "report/engine/words.h"
#include "report/format/format.h"

/* Workflow commands (docs/reference/output-formats.md#github). The runner takes so many annotations
 * of each kind from a step, and so many characters of each. */
#define ANNOTATIONS_MOST 10u
#define MESSAGE_MOST     4000u
#define PART_MOST        1000u

static const char *const commands[] = {
    [SEVERITY_INFO] = "notice", [SEVERITY_WARN] = "warning", [SEVERITY_FAIL] = "error"};

/* Data of a command; in a property : and , end it, too. */
static void append_escaped(const char *string, bool property, struct text *output)
{
    for (const char *at = string; *at; at++)
        if (*at == '%' || *at == '\r' || *at == '\n' || (property && (*at == ':' || *at == ',')))
            text_printf(output, "%%%02X", *at);
        else
            text_append_char(output, *at);
}

static void append_part(const char *label, const char *string, struct text *message)
{
    AUTO_FREE char *line = format_line(string, PART_MOST);
    text_printf(message, "\n%s: %s", label, line);
}

static void append_fix(const struct finding_fix *fix, struct text *message)
{
    AUTO_FREE char *command = format_command(fix->command, PART_MOST);
    if (fix->command)
        text_printf(message, "\nfix: %s", command);
    else
        append_part("fix", fix->note, message);
}

static void append_command(const char *command, const char *title, const struct text *message,
                           struct text *output)
{
    AUTO_FREE char *safe_title = format_line(title, PART_MOST);
    text_printf(output, "::%s title=", command);
    append_escaped(safe_title, true, output);
    text_append(output, "::");
    append_escaped(text_string(message), false, output);
    text_append_char(output, '\n');
}

static void append_consequences(const struct judgement *judgement, const char *code,
                                struct text *message)
{
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = judgement->findings[i];
        if (!string_equal(finding->caused_by, code) || message->size > MESSAGE_MOST - PART_MOST)
            continue;
        AUTO_FREE char *line = mem_printf("%s %s", finding->code, finding_message(finding));
        append_part("also", line, message);
    }
}

static void append_finding(const struct judgement *judgement, const struct finding *finding,
                           struct text *output)
{
    AUTO_TEXT struct text message = {0};
    AUTO_FREE char *line = format_line(finding_message(finding), PART_MOST);
    AUTO_FREE char *title = mem_printf("%s %s", finding->code, finding->cause);
    text_append(&message, line);
    if (finding->why)
        append_part("why", finding->why, &message);
    if (finding->fix_count > 0)
        append_fix(&finding->fixes[0], &message);
    append_consequences(judgement, finding->code, &message);
    append_command(commands[finding->severity], title, &message, output);
}

/* Those of one severity; where there are too many the last one says how many more there are. */
static void append_findings(const struct judgement *judgement, enum severity severity,
                            struct text *output)
{
    size_t total = 0, printed = 0;
    for (size_t i = 0; i < judgement->finding_count; i++)
        total += judgement->findings[i]->severity == severity &&
                 !format_is_consequence(judgement, judgement->findings[i]);
    size_t most = total > ANNOTATIONS_MOST ? ANNOTATIONS_MOST - 1 : total;
    for (size_t i = 0; i < judgement->finding_count && printed < most; i++) {
        const struct finding *finding = judgement->findings[i];
        if (finding->severity != severity || format_is_consequence(judgement, finding))
            continue;
        append_finding(judgement, finding, output);
        printed++;
    }
    if (total == printed)
        return;
    AUTO_TEXT struct text message = {0};
    text_printf(&message, "%zu more findings: gpuenv doctor -v shows them", total - printed);
    append_command(commands[severity], "gpuenv", &message, output);
}

/* One annotation for all of them: a warning, because the exit code of the step says the rest. */
static void append_undecided(const struct judgement *judgement, struct text *output)
{
    if (judgement->exit_code != EXIT_UNKNOWN)
        return;
    AUTO_TEXT struct text message = {0};
    AUTO_FREE char *headline = format_headline(judgement);
    AUTO_FREE char *line = format_line(headline, PART_MOST);
    text_printf(&message, "%u check%s could not be decided; %s", judgement->unknown,
                judgement->unknown == 1 ? "" : "s", line);
    append_command("warning", "gpuenv: unknown", &message, output);
}

void report_github(const struct report_input *input, struct text *output)
{
    const struct judgement *judgement = input->judgement;
    AUTO_FREE char *counts = format_counts(judgement);
    append_undecided(judgement, output);
    append_findings(judgement, SEVERITY_FAIL, output);
    append_findings(judgement, SEVERITY_WARN, output);
    append_findings(judgement, SEVERITY_INFO, output);
    text_printf(output, "gpuenv doctor: %s: %s\n", report_verdict(judgement), counts);
}
