/* SPDX-License-Identifier: MIT */
#include <ctype.h>

#include "report/engine/words.h"
#include "report/format/format.h"

/* The rules for plugins (docs/reference/output-formats.md#nagios): the first line is shown in
 * lists and ends with performance data behind a |; what follows is shown on the page of the
 * service. NRPE and Nagios cut what is longer than they can hold. */
#define FIRST_LINE_MOST 240u
#define LINE_MOST       480u
#define OUTPUT_MOST     4000u

static const struct {
    const char *word;
    int code;
} states[STATE_COUNT] = {
    [STATE_OK] = {"OK", 0},
    [STATE_WARN] = {"WARNING", 1},
    [STATE_FAIL] = {"CRITICAL", 2},
    [STATE_UNKNOWN] = {"UNKNOWN", 3},
};

int nagios_exit_code(const struct judgement *judgement)
{
    return states[format_state(judgement)].code;
}

/* A | begins performance data, and a web page may take <b for a tag. */
static bool is_mark(const char *at)
{
    unsigned char next = (unsigned char)at[1];
    return *at == '|' || (*at == '<' && (isalpha(next) || (ispunct(next) && next != '=')));
}

static bool is_plain(const char *string)
{
    for (const char *at = string; *at; at++)
        if (is_mark(at))
            return false;
    return true;
}

static void append_words(const char *string, size_t most, struct text *output)
{
    AUTO_FREE char *line = format_line(string, most);
    for (const char *at = line; *at; at++)
        if (is_mark(at))
            text_printf(output, "\\x%02x", *at);
        else
            text_append_char(output, *at);
}

/* A command with a pipe could not be copied from here. */
static void append_fix(const struct finding_fix *fix, struct text *output)
{
    AUTO_FREE char *command = format_command(fix->command, LINE_MOST);
    text_append(output, "  fix: ");
    if (fix->command == NULL)
        append_words(fix->note, LINE_MOST, output);
    else if (is_plain(command))
        text_append(output, command);
    else
        text_append(output, "gpuenv doctor --fix prints it");
    text_append_char(output, '\n');
}

static void append_finding(const struct judgement *judgement, const struct finding *finding,
                           struct text *output)
{
    AUTO_FREE char *line = mem_printf("%s %s: %s", severity_name(finding->severity), finding->code,
                                      finding_message(finding));
    append_words(line, LINE_MOST, output);
    if (format_is_consequence(judgement, finding)) {
        text_append(output, " (because of ");
        append_words(finding->caused_by, FIRST_LINE_MOST, output);
        text_append_char(output, ')');
    }
    text_append_char(output, '\n');
    if (finding->fix_count == 0)
        return;
    append_fix(&finding->fixes[0], output);
}

void report_nagios(const struct report_input *input, struct text *output)
{
    const struct judgement *judgement = input->judgement;
    AUTO_FREE char *headline = format_headline(judgement);
    AUTO_FREE char *counts = format_counts(judgement);
    text_printf(output, "GPUENV %s - ", states[format_state(judgement)].word);
    append_words(headline, FIRST_LINE_MOST, output);
    text_printf(output, " | fail=%u;;;0 warn=%u;;;0 unknown=%u;;;0 pass=%u;;;0 skip=%u;;;0\n",
                judgement->fail, judgement->warn, judgement->unknown, judgement->pass,
                judgement->skip);
    text_printf(output, "%s: %s\n", report_verdict(judgement), counts);
    for (size_t i = 0; i < judgement->finding_count; i++) {
        AUTO_TEXT struct text lines = {0};
        append_finding(judgement, judgement->findings[i], &lines);
        if (output->size + lines.size > OUTPUT_MOST)
            break;
        text_append_n(output, lines.data, lines.size);
    }
}

int nagios_failed(const struct error *error, struct text *output)
{
    AUTO_FREE char *line = format_error(error);
    text_append(output, "GPUENV UNKNOWN - ");
    append_words(line, LINE_MOST, output);
    text_append_char(output, '\n');
    return states[STATE_UNKNOWN].code;
}
