/* SPDX-License-Identifier: MIT */
#include "report/engine/words.h"
#include "report/format/format.h"

/* A custom plugin of node-problem-detector: exit code 0 (fine), 1 (a problem) or another (unknown),
 * and one line, of which the detector keeps 80 bytes unless it is told otherwise
 * (docs/reference/output-formats.md#npd). */
#define LINE_MOST 80u

enum { NPD_OK, NPD_PROBLEM, NPD_UNKNOWN };

int npd_exit_code(const struct judgement *judgement)
{
    switch (format_state(judgement)) {
    case STATE_FAIL:
        return NPD_PROBLEM;
    case STATE_UNKNOWN:
        return NPD_UNKNOWN;
    default:
        return NPD_OK;
    }
}

/* The detector cuts bytes, not characters: ASCII cannot be cut in two. */
static void append_line(const char *string, struct text *output)
{
    AUTO_TEXT struct text ascii = {0};
    for (const char *at = string; *at; at++)
        if (((unsigned char)*at & 0xc0) != 0x80) /* one ? for a character of several bytes */
            text_append_char(&ascii, (unsigned char)*at < 0x80 ? *at : '?');
    AUTO_FREE char *line = format_line(text_string(&ascii), LINE_MOST);
    text_printf(output, "%s\n", line);
}

void report_npd(const struct report_input *input, struct text *output)
{
    const struct judgement *judgement = input->judgement;
    AUTO_FREE char *headline = format_headline(judgement);
    append_line(headline, output);
}

int npd_failed(const struct error *error, struct text *output)
{
    AUTO_FREE char *line = format_error(error);
    append_line(line, output);
    return NPD_UNKNOWN;
}
