/* SPDX-License-Identifier: MIT */
#include "report/unknown.h"

#include <string.h>

#include "report/page.h"
#include "rules/engine/finding.h"
#include "rules/rules.h"

/* What the user can do about a reason. The first row that is part of the reason counts. */
static const struct {
    const char *part;
    const char *next;
} steps[] = {
    {"there is no /sys", "mount -t sysfs sys /sys"},
    {"no answer in", "gpuenv doctor --timeout 60"},
    {"Permission denied", "sudo gpuenv doctor"},
    {"Operation not permitted", "sudo gpuenv doctor"},
};

static bool is_unknown_for(const struct check *check, const char *reason)
{
    return check->status == CHECK_UNKNOWN && check->reason && string_equal(check->reason, reason);
}

bool unknown_is_first(const struct judgement *judgement, const struct check *check)
{
    if (check->status != CHECK_UNKNOWN)
        return false;
    for (size_t i = 0; check->reason && i < judgement->check_count; i++)
        if (is_unknown_for(&judgement->checks[i], check->reason))
            return &judgement->checks[i] == check;
    return true;
}

static unsigned count_alike(const struct page *page, const struct check *check)
{
    const struct judgement *judgement = page->input->judgement;
    unsigned count = check->reason ? 0 : 1;
    for (size_t i = 0; check->reason && i < judgement->check_count; i++)
        count += is_unknown_for(&judgement->checks[i], check->reason);
    return count;
}

static void append_step(const struct page *page, const struct check *check)
{
    struct wrap wrap = page_detail(page, 0, "try: ");
    for (size_t i = 0; check->reason && i < sizeof(steps) / sizeof(steps[0]); i++)
        if (strstr(check->reason, steps[i].part)) {
            wrap_whole(&wrap, steps[i].next);
            wrap_end(&wrap);
            return;
        }
    AUTO_FREE char *command = mem_printf("gpuenv explain %s", check->code);
    wrap_whole(&wrap, command);
    wrap_words(&wrap, "says how to look by hand");
    wrap_end(&wrap);
}

void unknown_append(const struct page *page, const struct check *check)
{
    const struct rule *rule = rule_find(check->code);
    unsigned count = count_alike(page, check);
    struct wrap wrap = page_line(page, 0, MARK_UNKNOWN, check->code);
    if (count > 1)
        wrap_printf(&wrap, "and %u more check%s cannot be decided: %s", count - 1,
                    count == 2 ? "" : "s", check->reason);
    else
        wrap_printf(&wrap, "cannot tell whether %s: %s", rule ? rule->title : check->cause,
                    check->reason ? check->reason : "no reason given");
    wrap_end(&wrap);
    append_step(page, check);
}
