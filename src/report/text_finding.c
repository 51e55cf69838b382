/* SPDX-License-Identifier: MIT */
#include "report/fix.h"
#include "report/page.h"
#include "rules/engine/finding.h"

#include <string.h>

#define SOURCES_MAX 3 /* named on a finding's line; the rest is counted, -v lists all */
#define DEPTH_MAX   4 /* levels of consequences that are indented further */

static unsigned page_indent(const struct page *page, unsigned depth)
{
    return (depth < DEPTH_MAX ? depth : DEPTH_MAX) * mark_width(page->input->colour);
}

struct wrap page_line(const struct page *page, unsigned depth, enum mark mark, const char *label)
{
    bool colour = page->input->colour;
    unsigned indent = page_indent(page, depth);
    unsigned body = indent + mark_width(colour);
    struct wrap wrap;
    text_printf(page->output, "%*s", (int)indent, "");
    mark_append(page->output, mark, colour);
    wrap_begin(&wrap, page->output, page->input->columns, body, body);
    wrap_words(&wrap, label);
    return wrap;
}

void page_sources(struct wrap *wrap, const struct strlist *sources)
{
    for (size_t i = 0; i < sources->count && i < SOURCES_MAX; i++) {
        bool last = i + 1 == sources->count || i + 1 == SOURCES_MAX;
        AUTO_FREE char *more = sources->count > SOURCES_MAX
                                   ? mem_printf("; %zu more]", sources->count - SOURCES_MAX)
                                   : mem_string("]");
        wrap_printf(wrap, "%s%s%s", i == 0 ? "[" : "", sources->items[i], last ? more : ";");
    }
}

/* What is not a fault does not name again what the line of its block names; -v has it all. */
static void sources_of(const struct page *page, const struct finding *finding,
                       struct strlist *sources)
{
    bool all = finding->severity != SEVERITY_INFO || page->input->verbose;
    for (size_t i = 0; i < finding->evidence_count; i++)
        if (all || !strlist_has(&page->said, finding->evidence[i].source))
            strlist_add_new(sources, finding->evidence[i].source);
}

struct wrap page_detail(const struct page *page, unsigned depth, const char *label)
{
    unsigned start = page_indent(page, depth) + mark_width(page->input->colour);
    unsigned indent = start + (unsigned)strlen("why: ");
    struct wrap wrap;
    text_printf(page->output, "%*s%s", (int)start, "", label);
    wrap_begin(&wrap, page->output, page->input->columns, indent, indent);
    return wrap;
}

static const char *fix_reminder(const struct finding_fix *fix)
{
    static const char *const words[] = {"reboot", "switch the machine off", "start it again"};
    bool told = fix->command && string_contains_nocase(fix->command, words[0]);
    for (size_t i = 0; fix->note && i < sizeof(words) / sizeof(words[0]); i++)
        told = told || string_contains_nocase(fix->note, words[i]);
    return fix->reboot && !told ? "needs a reboot" : NULL;
}

/* The command stands on a line of its own, so that it can be copied; notes come below it. */
static void append_fix(const struct page *page, unsigned depth, const char *label,
                       const struct finding_fix *fix)
{
    const char *reminder = fix_reminder(fix);
    struct wrap wrap = page_detail(page, depth, label);
    if (fix->command) {
        wrap_whole(&wrap, fix->command);
        wrap_end(&wrap);
        if (fix->note == NULL && reminder == NULL)
            return;
        wrap = page_detail(page, depth, "     ");
    }
    if (fix->note)
        wrap_printf(&wrap, "%s%s", fix_note(fix), reminder ? ";" : "");
    if (reminder)
        wrap_words(&wrap, reminder);
    wrap_end(&wrap);
}

/* Behind the first: another way, something that belongs to the one before, or a look. */
static const char *fix_label(const struct finding_fix *fix)
{
    if (fix->kind == FIX_LOOK)
        return "see: ";
    bool belongs =
        fix->note && (string_starts(fix->note, "and ") || string_starts(fix->note, "then "));
    return fix->kind == FIX_ALSO || belongs ? "and: " : "or:  ";
}

void page_first_fix(const struct page *page, unsigned depth, const struct finding *finding)
{
    if (finding->fix_count > 0)
        append_fix(page, depth, "fix: ", &finding->fixes[0]);
}

static void append_fixes(const struct page *page, unsigned depth, const struct finding *finding)
{
    size_t count = page->input->verbose ? finding->fix_count : 1;
    for (size_t i = 0; i < count && i < finding->fix_count; i++)
        append_fix(page, depth, i == 0 ? "fix: " : fix_label(&finding->fixes[i]),
                   &finding->fixes[i]);
}

static void append_evidence(const struct page *page, unsigned depth, const struct finding *finding)
{
    for (size_t i = 0; i < finding->evidence_count; i++) {
        const struct finding_evidence *evidence = &finding->evidence[i];
        struct wrap wrap = page_detail(page, depth, i == 0 ? "saw: " : "     ");
        wrap_printf(&wrap, "%s: %s%s%s", evidence->source, evidence->name ? evidence->name : "",
                    evidence->name ? " " : "", evidence->value ? evidence->value : "");
        wrap_end(&wrap);
    }
}

void page_why(const struct page *page, unsigned depth, const struct finding *finding)
{
    if (finding->why == NULL)
        return;
    struct wrap wrap = page_detail(page, depth, "why: ");
    wrap_words(&wrap, finding->why);
    wrap_end(&wrap);
}

static void append_details(const struct page *page, unsigned depth, const struct finding *finding)
{
    bool verbose = page->input->verbose;
    if (finding->severity == SEVERITY_INFO && !verbose)
        return;
    page_why(page, depth, finding);
    append_fixes(page, depth, finding);
    if (verbose)
        append_evidence(page, depth, finding);
}

static void page_consequences(struct page *page, const char *code, unsigned depth)
{
    const struct judgement *judgement = page->input->judgement;
    for (size_t i = 0; i < judgement->finding_count; i++)
        if (string_equal(judgement->findings[i]->caused_by, code))
            page_finding(page, i, depth);
}

void page_finding(struct page *page, size_t index, unsigned depth)
{
    const struct finding *finding = page->input->judgement->findings[index];
    if (page->printed[index])
        return;
    page->printed[index] = true;
    if (finding->severity == SEVERITY_INFO && page->input->quiet)
        return;
    AUTO_STRLIST struct strlist sources = {0};
    sources_of(page, finding, &sources);
    struct wrap wrap = page_line(page, depth, mark_of_severity(finding->severity), finding->code);
    wrap_words(&wrap, finding->message ? finding->message : finding->cause);
    page_sources(&wrap, &sources);
    wrap_end(&wrap);
    append_details(page, depth, finding);
    page_consequences(page, finding->code, depth + 1);
}
