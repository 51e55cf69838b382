/* SPDX-License-Identifier: MIT */
#include "report/share/markdown.h"

#include <string.h>

#include "report/engine/words.h"
#include "report/share/markdown_write.h"
#include "report/share/share.h"
#include "rules/engine/finding.h"

/* How long the page may be when a further finding, or a line of a list, is added: the rest is for
 * the facts. */
#define FINDINGS_MOST 24000u
#define LINES_MOST    30000u
#define VALUE_MOST    300 /* of a piece of evidence */

static void append_evidence(const struct finding *finding, struct text *output)
{
    for (size_t i = 0; i < finding->evidence_count; i++) {
        const struct finding_evidence *evidence = &finding->evidence[i];
        AUTO_FREE char *value =
            mem_string_n(evidence->value ? evidence->value : "",
                         strnlen(evidence->value ? evidence->value : "", VALUE_MOST));
        text_append(output, i == 0 ? "\nSeen:\n\n- " : "- ");
        markdown_plain(evidence->source, output);
        text_append(output, ": ");
        if (evidence->name) {
            markdown_plain(evidence->name, output);
            text_append_char(output, ' ');
        }
        markdown_plain(value, output);
        text_append_char(output, '\n');
    }
}

static void append_finding(const struct finding *finding, struct text *output)
{
    markdown_finding_head(finding, output);
    markdown_why(finding, output);
    append_evidence(finding, output);
    markdown_fixes(finding, output);
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
        if (!format_is_consequence(input->judgement, finding))
            continue;
        if (!any)
            fold_begin("what follows from these", output);
        any = true;
        text_append(output, "- ");
        markdown_finding_head(finding, output);
    }
    if (any)
        fold_end(output);
}

/* Those that have no room on the page are counted. */
static void append_findings(const struct report_input *input, struct text *output)
{
    const struct judgement *judgement = input->judgement;
    size_t shown = 0, left_out = 0;
    bool folded = false;
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = judgement->findings[i];
        AUTO_TEXT struct text text = {0};
        if (format_is_consequence(input->judgement, finding))
            continue;
        append_finding(finding, &text);
        if (output->size + text.size > FINDINGS_MOST && shown > 0) {
            left_out++;
            continue;
        }
        bool folds = shown > 0 || finding->severity == SEVERITY_INFO;
        if (folds && !folded)
            fold_begin(shown > 0 ? "further findings" : "notes", output);
        folded = folded || folds;
        shown++;
        text_append_n(output, text_string(&text), text.size);
    }
    if (left_out > 0)
        text_printf(output, "%zu further findings have no room here.\n", left_out);
    if (folded)
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
        markdown_plain(lines.items[i], output);
        text_append_char(output, '\n');
    }
    fold_end(output);
}

static void append_parts(const struct share_parts *parts, struct text *output)
{
    for (size_t i = 0; i < parts->titles.count; i++) {
        AUTO_FREE char *title = mem_printf("facts: %s", parts->titles.items[i]);
        fold_begin(title, output);
        markdown_code("text", parts->texts.items[i], output);
        fold_end(output);
    }
    if (parts->left_out.count > 0) {
        AUTO_FREE char *list = strlist_join(&parts->left_out, ", ");
        text_append(output, "Left out, because the page would have been too long: ");
        markdown_plain(list, output);
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
    markdown_machine(input, output);
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
