/* SPDX-License-Identifier: MIT */
#include "report/engine/words.h"
#include "report/share/markdown.h"
#include "report/share/markdown_write.h"
#include "report/share/share.h"

/* A page for a pull request, a wiki or the summary of a job
 * (docs/reference/output-formats.md#markdown). */

static void append_findings(const struct report_input *input, struct text *output)
{
    for (size_t i = 0; i < input->judgement->finding_count; i++) {
        const struct finding *finding = input->judgement->findings[i];
        if (format_is_consequence(input->judgement, finding))
            continue;
        markdown_finding_head(finding, output);
        markdown_why(finding, output);
        markdown_fixes(finding, output);
        text_append_char(output, '\n');
    }
}

static void append_consequences(const struct report_input *input, struct text *output)
{
    const struct judgement *judgement = input->judgement;
    bool any = false;
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = judgement->findings[i];
        if (!format_is_consequence(input->judgement, finding))
            continue;
        text_append(output, any ? "- " : "What follows from these:\n\n- ");
        markdown_finding_head(finding, output);
        any = true;
    }
    if (any)
        text_append_char(output, '\n');
}

static void append_undecided(const struct report_input *input, struct text *output)
{
    AUTO_STRLIST struct strlist lines = {0};
    share_undecided(input, &lines);
    for (size_t i = 0; i < lines.count; i++) {
        text_append(output, i == 0 ? "\nChecks that could not be decided:\n\n- " : "- ");
        markdown_plain(lines.items[i], output);
        text_append_char(output, '\n');
    }
}

void report_markdown_page(const struct report_input *input, struct text *output)
{
    const struct judgement *judgement = input->judgement;
    AUTO_FREE char *counts = format_counts(judgement);
    AUTO_FREE char *manifest = report_manifest_text(input);
    text_printf(output, "### gpuenv doctor: %s: %s\n\n", report_verdict(judgement), counts);
    append_findings(input, output);
    append_consequences(input, output);
    markdown_machine(input, output);
    append_undecided(input, output);
    text_append(output, "\ngpuenv ");
    markdown_plain(input->tool_version, output);
    text_append(output, ", ");
    markdown_plain(manifest, output);
    text_append_char(output, '\n');
}
