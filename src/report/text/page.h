/* SPDX-License-Identifier: MIT */
#ifndef REPORT_TEXT_PAGE_H
#define REPORT_TEXT_PAGE_H

#include "base/strlist.h"
#include "base/wrap.h"
#include "report/engine/mark.h"
#include "report/engine/report.h"
#include "rules/engine/rule.h"

struct check;
struct finding;
struct judgement;
struct text;

/* The text report while it is written. */
struct page {
    const struct report_input *input;
    struct text *output;
    bool *printed; /* for each finding: it stands on the page already */
};

/* The block a finding or check belongs to. */
enum block page_block(const char *code);

/* Begins a line: depth levels of indentation, the mark, a space-padded label (code or block). */
struct wrap page_line(const struct page *page, unsigned depth, enum mark mark, const char *label);

/* Adds " [a; b]". */
void page_sources(struct wrap *wrap, const struct strlist *sources);

/* Whether its cause is another of the findings, so that it stands below that. */
bool page_is_consequence(const struct page *page, const struct finding *finding);

/* Mark, code and message of the finding, and the sources. */
void page_message(const struct page *page, unsigned depth, const struct finding *finding,
                  const struct strlist *sources);
/* A line below a finding: "why: …", hanging under its own text. */
struct wrap page_detail(const struct page *page, unsigned depth, const char *label);
/* Its why, and the first of its fixes, each on a line of its own; nothing where it has none. */
void page_why(const struct page *page, unsigned depth, const struct finding *finding);
void page_first_fix(const struct page *page, unsigned depth, const struct finding *finding);

/* The finding with index, its why and fix, and below it what follows from it. */
void page_finding(struct page *page, size_t index, unsigned depth);

/* The block's checks: what could not be decided, what passed and what was skipped. */
void page_checks(const struct page *page, enum block block);

#endif
