/* SPDX-License-Identifier: MIT */
#include "report/share/markdown_write.h"

#include <string.h>

#include "report/share/share.h"
#include "rules/engine/finding.h"

/* GitHub looks for mentions and numbers of issues in what Markdown has become, so that a comment
 * has to stand within them; :// and www. make links. */
void markdown_plain(const char *string, struct text *output)
{
    AUTO_FREE char *safe = string_safe(string ? string : "");
    for (const char *at = safe; *at; at++)
        if (strchr("&<>", *at))
            text_printf(output, "&#%d;", *at);
        else if (strchr("\\`*_[]|~$!", *at))
            text_printf(output, "\\%c", *at);
        else if (strchr("@#", *at))
            text_printf(output, "&#%d;<!-- -->", *at);
        else if (string_starts(at, "://") || string_starts(at, "www."))
            text_printf(output, "%c<!-- -->", *at);
        else
            text_append_char(output, *at);
}

static size_t longest_ticks(const char *code)
{
    size_t most = 0;
    for (const char *at = code; (at = strchr(at, '`')) != NULL;) {
        size_t ticks = strspn(at, "`");
        most = ticks > most ? ticks : most;
        at += ticks;
    }
    return most;
}

void markdown_code(const char *language, const char *code, struct text *output)
{
    size_t most = longest_ticks(code), ticks = most < 3 ? 3 : most + 1;
    AUTO_TEXT struct text fence = {0};
    for (size_t i = 0; i < ticks; i++)
        text_append_char(&fence, '`');
    text_printf(output, "%s%s\n%s%s%s\n", text_string(&fence), language, code,
                string_ends(code, "\n") ? "" : "\n", text_string(&fence));
}

static void append_fix(const struct finding_fix *fix, bool first, struct text *output)
{
    bool reboot = fix->reboot && !(fix->note && string_contains_nocase(fix->note, "reboot"));
    text_append(output, first ? "\n**Fix**" : "\n**Or**");
    if (fix->root || reboot)
        text_printf(output, " (%s%s%s)", fix->root ? "as root" : "",
                    fix->root && reboot ? ", " : "", reboot ? "then reboot" : "");
    if (fix->note) {
        text_append(output, ": ");
        markdown_plain(fix->note, output);
    }
    text_append_char(output, '\n');
    if (fix->command) {
        AUTO_TEXT struct text command = {0};
        text_append_safe_again(&command, fix->command); /* its backslashes stay: it is copied */
        text_append_char(output, '\n');
        markdown_code("sh", text_string(&command), output);
    }
}

void markdown_finding_head(const struct finding *finding, struct text *output)
{
    text_printf(output, "**%s ", severity_name(finding->severity));
    markdown_plain(finding->code, output);
    text_append(output, "** ");
    markdown_plain(finding_message(finding), output);
    text_append_char(output, '\n');
}

void markdown_why(const struct finding *finding, struct text *output)
{
    if (finding->why == NULL)
        return;
    text_append(output, "\nWhy: ");
    markdown_plain(finding->why, output);
    text_append_char(output, '\n');
}

void markdown_fixes(const struct finding *finding, struct text *output)
{
    for (size_t i = 0; i < finding->fix_count; i++)
        append_fix(&finding->fixes[i], i == 0, output);
}

void markdown_machine(const struct report_input *input, struct text *output)
{
    AUTO_STRLIST struct strlist labels = {0};
    AUTO_STRLIST struct strlist words = {0};
    share_rows(input, &labels, &words);
    text_append(output, "| | |\n|---|---|\n");
    for (size_t i = 0; i < labels.count; i++) {
        text_printf(output, "| %s | ", labels.items[i]);
        markdown_plain(words.items[i], output);
        text_append(output, " |\n");
    }
    text_append_char(output, '\n');
}
