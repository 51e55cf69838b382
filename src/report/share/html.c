/* SPDX-License-Identifier: MIT */
#include "report/share/html.h"

#include <string.h>

#include "report/share/html_private.h"
#include "report/share/share.h"
#include "rules/engine/finding.h"

/* Each of the marks by its number. */
static void append_escaped(const char *string, const char *marks, struct text *output)
{
    for (const char *at = string; *at; at++) {
        if (strchr(marks, *at))
            text_printf(output, "&#%d;", *at);
        else
            text_append_char(output, *at);
    }
}

void html_append(const char *string, struct text *output)
{
    AUTO_FREE char *safe = string_safe(string);
    append_escaped(safe, "&<>\"'", output);
}

/* <tag>string</tag> */
static void append_element(const char *begin, const char *string, const char *end,
                           struct text *output)
{
    text_append(output, begin);
    html_append(string, output);
    text_append(output, end);
}

static void append_fix(const struct finding_fix *fix, bool first, struct text *output)
{
    text_printf(output, "<p><b>%s</b>", first ? "Fix" : "Or");
    if (fix->root || fix->reboot)
        text_printf(output, " <span class=\"soft\">(%s%s%s)</span>", fix->root ? "as root" : "",
                    fix->root && fix->reboot ? ", " : "", fix->reboot ? "then reboot" : "");
    if (fix->note)
        append_element(": ", fix->note, "", output);
    text_append(output, "</p>\n");
    if (fix->command)
        append_element("<pre>", fix->command, "</pre>\n", output);
}

static void append_evidence(const struct finding *finding, struct text *output)
{
    for (size_t i = 0; i < finding->evidence_count; i++) {
        const struct finding_evidence *evidence = &finding->evidence[i];
        append_element("<p class=\"soft\">", evidence->source, ": ", output);
        append_element("", evidence->name ? evidence->name : "", " ", output);
        append_element("", evidence->value ? evidence->value : "", "</p>\n", output);
    }
}

static void append_finding(const struct finding *finding, struct text *output)
{
    const char *severity = severity_name(finding->severity);
    text_printf(output, "<section class=\"card %s\"><h3><span class=\"tag\">%s %s</span> ",
                severity, severity, finding->code);
    append_element("", finding_message(finding), "</h3>\n", output);
    if (finding->why)
        append_element("<p>", finding->why, "</p>\n", output);
    for (size_t i = 0; i < finding->fix_count; i++)
        append_fix(&finding->fixes[i], i == 0, output);
    append_evidence(finding, output);
    if (finding->caused_by)
        append_element("<p class=\"soft\">follows from ", finding->caused_by, "</p>\n", output);
    text_append(output, "</section>\n");
}

/* Those that say what is wrong, or those that only inform. */
static void append_findings(const struct judgement *judgement, bool info, struct text *output)
{
    for (size_t i = 0; i < judgement->finding_count; i++)
        if ((judgement->findings[i]->severity == SEVERITY_INFO) == info)
            append_finding(judgement->findings[i], output);
}

static void append_notes(const struct judgement *judgement, struct text *output)
{
    AUTO_TEXT struct text notes = {0};
    append_findings(judgement, true, &notes);
    if (notes.size > 0)
        text_printf(output,
                    "<h2>Notes</h2>\n<details><summary>what is no fault</summary>\n%s"
                    "</details>\n",
                    text_string(&notes));
}

static void append_machine(const struct report_input *input, struct text *output)
{
    AUTO_STRLIST struct strlist labels = {0};
    AUTO_STRLIST struct strlist words = {0};
    share_rows(input, &labels, &words);
    text_append(output, "<h2>The machine</h2>\n<table>\n");
    for (size_t i = 0; i < labels.count; i++) {
        append_element("<tr><th>", labels.items[i], "</th>", output);
        append_element("<td>", words.items[i], "</td></tr>\n", output);
    }
    text_append(output, "</table>\n");
}

static void append_undecided(const struct report_input *input, struct text *output)
{
    AUTO_STRLIST struct strlist lines = {0};
    share_undecided(input, &lines);
    if (lines.count > 0)
        text_append(output, "<h2>Checks that could not be decided</h2>\n");
    for (size_t i = 0; i < lines.count; i++)
        append_element("<p>", lines.items[i], "</p>\n", output);
}

static void append_facts(const struct report_input *input, struct text *output)
{
    AUTO_PARTS struct share_parts parts = share_parts(input->facts, SIZE_MAX);
    text_append(output, "<div class=\"facts\"><h2>Facts</h2>\n");
    for (size_t i = 0; i < parts.titles.count; i++) {
        append_element("<details><summary>", parts.titles.items[i], "</summary>\n<pre>", output);
        append_escaped(parts.texts.items[i], "&<>", output);
        text_append(output, "</pre></details>\n");
    }
    text_append(output, "</div>\n");
}

/* The record for gpuenv doctor --from. No text in it ends the element. */
static void append_record(const struct report_input *input, struct text *output)
{
    AUTO_JSON json_t *document = share_json(input);
    AUTO_TEXT struct text text = {0};
    json_append_text(document, &text);
    text_append(output, "<script type=\"application/json\" id=\"gpuenv-record\">\n");
    for (const char *at = text_string(&text); *at; at++) {
        if (*at == '<')
            text_append(output, "\\u003c");
        else
            text_append_char(output, *at);
    }
    text_append(output, "</script>\n");
}

void report_html(const struct report_input *input, struct text *output)
{
    const struct judgement *judgement = input->judgement;
    AUTO_FREE char *verdict = share_verdict(input);
    AUTO_FREE char *hidden = share_hidden(input);
    AUTO_FREE char *manifest = report_manifest_text(input);
    append_element("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                   "<title>gpuenv report: ",
                   verdict, "</title>\n<style>", output);
    text_append(output, html_style);
    text_printf(output, "</style></head><body>\n<h1 class=\"%s\">", report_verdict(judgement));
    append_element("", verdict, "</h1>\n", output);
    append_findings(judgement, false, output);
    append_machine(input, output);
    html_drawing(input->facts, output);
    html_tables(input, output);
    append_undecided(input, output);
    append_notes(judgement, output);
    append_facts(input, output);
    append_record(input, output);
    append_element("<footer class=\"soft\"><p>gpuenv ", input->tool_version, ", ", output);
    append_element("", manifest, ". ", output);
    append_element("", hidden, " To judge this page on another machine: ", output);
    text_append(output, "<code>gpuenv doctor --from FILE</code></p></footer>\n</body></html>\n");
}
