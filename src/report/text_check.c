/* SPDX-License-Identifier: MIT */
#include "report/page.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"
#include "rules/rules.h"

static bool has_finding(const struct judgement *judgement, const struct check *check)
{
    for (size_t i = 0; i < judgement->finding_count; i++)
        if (string_equal(judgement->findings[i]->code, check->code))
            return true;
    return false;
}

static bool is_shown(const struct page *page, const struct check *check)
{
    bool verbose = page->input->verbose;
    switch (check->status) {
    case CHECK_UNKNOWN:
        return page_first_alike(page, check) == check;
    case CHECK_PASS:
        return verbose && !has_finding(page->input->judgement, check);
    case CHECK_SKIP:
        return verbose;
    case CHECK_WARN:
    case CHECK_FAIL:
        break;
    }
    return false;
}

static bool are_alike(const struct check *a, const struct check *b)
{
    return b->status == CHECK_UNKNOWN && a->reason && string_equal(a->reason, b->reason);
}

const struct check *page_first_alike(const struct page *page, const struct check *check)
{
    const struct judgement *judgement = page->input->judgement;
    const struct check *first = NULL;
    for (size_t i = 0; !page->input->verbose && i < judgement->check_count; i++) {
        const struct check *other = &judgement->checks[i];
        if (are_alike(check, other) &&
            (first == NULL || page_block(other->code) < page_block(first->code)))
            first = other;
    }
    return first ? first : check;
}

/* "DRV-014, GPU-004": the code, and those of the checks that are unknown for the same reason. */
static void append_codes(const struct page *page, const struct check *check, struct strlist *codes)
{
    const struct judgement *judgement = page->input->judgement;
    strlist_add(codes, check->code);
    for (size_t i = 0; !page->input->verbose && i < judgement->check_count; i++)
        if (are_alike(check, &judgement->checks[i]))
            strlist_add_new(codes, judgement->checks[i].code);
}

static void append_check(const struct page *page, const struct check *check)
{
    static const enum mark marks[] = {
        [CHECK_PASS] = MARK_OK,   [CHECK_WARN] = MARK_WARN,       [CHECK_FAIL] = MARK_FAIL,
        [CHECK_SKIP] = MARK_SKIP, [CHECK_UNKNOWN] = MARK_UNKNOWN,
    };
    const struct rule *rule = rule_find(check->code);
    const char *title = rule ? rule->title : check->cause;
    const char *reason = check->reason ? check->reason : "no reason given";
    AUTO_STRLIST struct strlist codes = {0};
    if (check->status == CHECK_UNKNOWN)
        append_codes(page, check, &codes);
    AUTO_FREE char *label = codes.count > 0 ? strlist_join(&codes, ", ") : mem_string(check->code);
    struct wrap wrap = page_line(page, 0, marks[check->status], label);
    if (codes.count > 1)
        wrap_printf(&wrap, "cannot be decided: %s", reason);
    else if (check->status == CHECK_UNKNOWN)
        wrap_printf(&wrap, "cannot tell whether %s: %s", title, reason);
    else if (check->status == CHECK_SKIP)
        wrap_printf(&wrap, "not checked whether %s: %s", title, reason);
    else
        wrap_printf(&wrap, "ruled out: %s", title);
    wrap_end(&wrap);
}

void page_checks(const struct page *page, enum block block)
{
    const struct judgement *judgement = page->input->judgement;
    for (size_t i = 0; i < judgement->check_count; i++) {
        const struct check *check = &judgement->checks[i];
        if (page_block(check->code) == block && is_shown(page, check))
            append_check(page, check);
    }
}
