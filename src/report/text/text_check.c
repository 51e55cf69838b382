/* SPDX-License-Identifier: MIT */
#include "report/text/page.h"
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
    switch (check->status) {
    case CHECK_PASS:
        return !has_finding(page->input->judgement, check);
    case CHECK_UNKNOWN:
    case CHECK_SKIP:
        return true;
    case CHECK_WARN:
    case CHECK_FAIL:
        break;
    }
    return false;
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
    struct wrap wrap = page_line(page, 0, marks[check->status], check->code);
    if (check->status == CHECK_UNKNOWN)
        wrap_printf(&wrap, "cannot tell whether %s: %s", title, reason);
    else if (check->status == CHECK_SKIP)
        wrap_printf(&wrap, "not checked whether %s: %s", title, reason);
    else
        wrap_printf(&wrap, "ruled out: the fault \"%s\"", title);
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
