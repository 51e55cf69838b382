/* SPDX-License-Identifier: MIT */
#include "report/markdown.h"

#include <string.h>

#include "report/share.h"
#include "rules/engine/finding.h"

/* Text of the machine in a line of Markdown: none of it is a mark, a tag or somebody's name. */
static void append_plain(const char *string, struct text *output)
{
    AUTO_FREE char *safe = string_safe(string);
    for (const char *at = safe; *at; at++) {
        if (*at == '&' || *at == '<' || *at == '>' || *at == '@')
            text_printf(output, "&#%d;", *at);
        else if (strchr("\\`*_[]#|~$", *at))
            text_printf(output, "\\%c", *at);
        else
            text_append_char(output, *at);
    }
}

/* The longest run of ` in it. */
static size_t ticks_of(const char *code)
{
    size_t most = 0;
    for (const char *at = code; (at = strchr(at, '`')) != NULL;) {
        size_t ticks = strspn(at, "`");
        most = ticks > most ? ticks : most;
        at += ticks;
    }
    return most;
}

static void append_fence(size_t ticks, const char *language, struct text *output)
{
    for (size_t i = 0; i < ticks; i++)
        text_append_char(output, '`');
    text_printf(output, "%s\n", language);
}

static void append_code_block(const char *language, const char *code, struct text *output)
{
    size_t most = ticks_of(code), ticks = most < 3 ? 3 : most + 1;
    append_fence(ticks, language, output);
    text_append(output, code);
    if (!string_ends(code, "\n"))
        text_append_char(output, '\n');
    append_fence(ticks, "", output);
}

/* How long the page may be when a further finding, or a line of a list, is added: the rest is for
 * the facts. */
#define FINDINGS_MOST 24000u
#define LINES_MOST    30000u

static void append_fix(const struct finding_fix *fix, bool first, struct text *output)
{
    text_append(output, first ? "\n**Fix**" : "\n**Or**");
    if (fix->root || fix->reboot)
        text_printf(output, " (%s%s%s)", fix->root ? "as root" : "",
                    fix->root && fix->reboot ? ", " : "", fix->reboot ? "then reboot" : "");
    if (fix->note) {
        text_append(output, ": ");
        append_plain(fix->note, output);
    }
    text_append(output, "\n\n");
    if (fix->command) {
        AUTO_FREE char *command = string_safe(fix->command);
        append_code_block("sh", command, output);
    }
}

#define VALUE_MOST 300 /* of a piece of evidence */

static void append_evidence(const struct finding *finding, struct text *output)
{
    for (size_t i = 0; i < finding->evidence_count; i++) {
        const struct finding_evidence *evidence = &finding->evidence[i];
        AUTO_FREE char *value =
            mem_string_n(evidence->value ? evidence->value : "",
                         strnlen(evidence->value ? evidence->value : "", VALUE_MOST));
        text_append(output, i == 0 ? "\nSeen:\n\n- " : "- ");
        append_plain(evidence->source, output);
        text_append(output, ": ");
        if (evidence->name) {
            append_plain(evidence->name, output);
            text_append_char(output, ' ');
        }
        append_plain(value, output);
        text_append_char(output, '\n');
    }
}

static void append_head(const struct finding *finding, struct text *output)
{
    text_printf(output, "**%s %s** ", severity_name(finding->severity), finding->code);
    append_plain(finding->message ? finding->message : finding->cause, output);
    text_append_char(output, '\n');
}

static void append_finding(const struct finding *finding, struct text *output)
{
    append_head(finding, output);
    if (finding->why) {
        text_append(output, "\nWhy: ");
        append_plain(finding->why, output);
        text_append_char(output, '\n');
    }
    append_evidence(finding, output);
    for (size_t i = 0; i < finding->fix_count; i++)
        append_fix(&finding->fixes[i], i == 0, output);
    text_append_char(output, '\n');
}

static void fold_begin(const char *title, struct text *output)
{
    text_printf(output, "<details><summary>%s</summary>\n\n", title);
}

static void fold_end(struct text *output)
{
    text_append(output, "\n</details>\n\n");
}

/* What follows from a finding, one line each. */
static void append_consequences(const struct report_input *input, struct text *output)
{
    const struct judgement *judgement = input->judgement;
    bool any = false;
    for (size_t i = 0; i < judgement->finding_count && output->size < LINES_MOST; i++) {
        const struct finding *finding = judgement->findings[i];
        if (!share_is_consequence(input, finding))
            continue;
        if (!any)
            fold_begin("what follows from these", output);
        any = true;
        text_append(output, "- ");
        append_head(finding, output);
    }
    if (any)
        fold_end(output);
}

/* Those that have no room on the page are counted. */
static void append_findings(const struct report_input *input, struct text *output)
{
    const struct judgement *judgement = input->judgement;
    size_t shown = 0, left_out = 0;
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = judgement->findings[i];
        AUTO_TEXT struct text text = {0};
        if (share_is_consequence(input, finding))
            continue;
        append_finding(finding, &text);
        if (output->size + text.size > FINDINGS_MOST && shown > 0) {
            left_out++;
            continue;
        }
        if (shown++ == 1)
            fold_begin("further findings", output);
        text_append_n(output, text_string(&text), text.size);
    }
    if (left_out > 0)
        text_printf(output, "%zu further findings have no room here.\n", left_out);
    if (shown > 1)
        fold_end(output);
    append_consequences(input, output);
}

static void append_undecided(const struct report_input *input, struct text *output)
{
    AUTO_STRLIST struct strlist lines = {0};
    share_undecided(input, &lines);
    if (lines.count == 0)
        return;
    fold_begin("checks that could not be decided", output);
    for (size_t i = 0; i < lines.count && output->size < LINES_MOST; i++) {
        text_append(output, "- ");
        append_plain(lines.items[i], output);
        text_append_char(output, '\n');
    }
    fold_end(output);
}

static void append_machine(const struct report_input *input, struct text *output)
{
    AUTO_STRLIST struct strlist labels = {0};
    AUTO_STRLIST struct strlist words = {0};
    share_rows(input, &labels, &words);
    text_append(output, "| | |\n|---|---|\n");
    for (size_t i = 0; i < labels.count; i++) {
        text_printf(output, "| %s | ", labels.items[i]);
        append_plain(words.items[i], output);
        text_append(output, " |\n");
    }
    text_append_char(output, '\n');
}

static void append_parts(const struct share_parts *parts, struct text *output)
{
    for (size_t i = 0; i < parts->titles.count; i++) {
        AUTO_FREE char *title = mem_printf("facts: %s", parts->titles.items[i]);
        fold_begin(title, output);
        append_code_block("text", parts->texts.items[i], output);
        fold_end(output);
    }
    if (parts->left_out.count > 0) {
        AUTO_FREE char *list = strlist_join(&parts->left_out, ", ");
        text_append(output, "Left out, because the page would have been too long: ");
        append_plain(list, output);
        text_append(output, ". `gpuenv report --json` has everything.\n\n");
    }
}

#define FOLDS_MOST 1500u /* what stands around the folded facts, and behind them */

void report_markdown(const struct report_input *input, struct text *output)
{
    AUTO_FREE char *verdict = share_verdict(input);
    AUTO_FREE char *hidden = share_hidden(input);
    AUTO_FREE char *manifest = report_manifest_text(input);
    text_printf(output, "### gpuenv report: %s\n\n", verdict);
    append_findings(input, output);
    append_machine(input, output);
    append_undecided(input, output);
    size_t used = output->size + FOLDS_MOST;
    AUTO_PARTS struct share_parts parts =
        share_parts(input->facts, used < MARKDOWN_MOST ? MARKDOWN_MOST - used : 0);
    append_parts(&parts, output);
    text_printf(output,
                "gpuenv %s, %s. %s To judge this page on another machine: "
                "`gpuenv doctor --from FILE`\n",
                input->tool_version, manifest, hidden);
}
