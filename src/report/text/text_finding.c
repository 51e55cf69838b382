/* SPDX-License-Identifier: MIT */
#include "report/fix/fix.h"
#include "report/text/page.h"
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

bool page_is_consequence(const struct page *page, const struct finding *finding)
{
    const struct judgement *judgement = page->input->judgement;
    for (size_t i = 0; i < judgement->finding_count; i++)
        if (finding->caused_by && string_equal(judgement->findings[i]->code, finding->caused_by))
            return true;
    return false;
}

void page_message(const struct page *page, unsigned depth, const struct finding *finding,
                  const struct strlist *sources)
{
    struct wrap wrap = page_line(page, depth, mark_of_severity(finding->severity), finding->code);
    wrap_words(&wrap, finding_message(finding));
    mark_dim(page->output, DIM_BEGIN, page->input->colour && sources->count > 0);
    page_sources(&wrap, sources);
    mark_dim(page->output, DIM_END, page->input->colour && sources->count > 0);
    wrap_end(&wrap);
}

struct wrap page_detail(const struct page *page, unsigned depth, const char *label)
{
    unsigned start = page_indent(page, depth) + mark_width(page->input->colour);
    unsigned indent = start + (unsigned)strlen("why: ");
    struct wrap wrap;
    text_printf(page->output, "%*s%s", (int)start, "", label);
    wrap_begin(&wrap, page->output, page->input->columns, start + (unsigned)strlen(label), indent);
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

static void append_more_fixes(const struct page *page, unsigned depth,
                              const struct finding *finding)
{
    for (size_t i = 1; i < finding->fix_count; i++)
        append_fix(page, depth, fix_label(&finding->fixes[i]), &finding->fixes[i]);
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
    page_why(page, depth, finding);
    page_first_fix(page, depth, finding);
    if (!page->input->verbose)
        return;
    append_more_fixes(page, depth, finding);
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
    for (size_t i = 0; i < finding->evidence_count; i++)
        strlist_add_new(&sources, finding->evidence[i].source);
    page_message(page, depth, finding, &sources);
    append_details(page, depth, finding);
    page_consequences(page, finding->code, depth + 1);
}
