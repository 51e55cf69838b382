/* SPDX-License-Identifier: MIT */
#include "report/text/unknown.h"

#include <string.h>

#include "report/text/page.h"
#include "rules/engine/finding.h"
#include "rules/rules.h"

/* What keeps checks from being decided, and what the user can do about it. The first row that is
 * part of the reason counts. */
static const struct origin {
    const char *part;
    const char *words; /* one thing behind several reasons; NULL: each reason is told */
    const char *next;
} origins[] = {
    {"there is no /sys", "/sys is not mounted, or is hidden", "mount -t sysfs sys /sys"},
    {"there is no /proc", "/proc is not mounted, or is hidden", "mount -t proc proc /proc"},
    {"no answer in", NULL, "gpuenv doctor --timeout 60"},
    {"Permission denied", NULL, "sudo gpuenv doctor"},
    {"Operation not permitted", NULL, "sudo gpuenv doctor"},
};

/* NULL: none is known. */
static const struct origin *origin_of(const struct check *check)
{
    for (size_t i = 0; check->reason && i < sizeof(origins) / sizeof(origins[0]); i++)
        if (strstr(check->reason, origins[i].part))
            return &origins[i];
    return NULL;
}

/* A reason names each fact that lacked; the page shows the first, and -v shows all. */
static size_t first_length(const char *reason)
{
    const char *end = strstr(reason, "; ");
    return end ? (size_t)(end - reason) : strlen(reason);
}

static bool starts_alike(const char *reason, const char *other)
{
    size_t length = first_length(reason);
    return length == first_length(other) && strncmp(reason, other, length) == 0;
}

static bool is_unknown_like(const struct check *check, const struct check *other)
{
    if (check->status != CHECK_UNKNOWN || !check->reason || !other->reason)
        return check == other;
    const struct origin *origin = origin_of(check);
    bool one = origin && origin->words && origin == origin_of(other);
    return one || starts_alike(check->reason, other->reason);
}

bool unknown_is_first(const struct judgement *judgement, const struct check *check)
{
    if (check->status != CHECK_UNKNOWN)
        return false;
    for (size_t i = 0; i < judgement->check_count; i++)
        if (is_unknown_like(&judgement->checks[i], check))
            return &judgement->checks[i] == check;
    return true;
}

/* How many are unknown like this one; ret_reason is what they have in common, free() it. */
static unsigned count_alike(const struct page *page, const struct check *check, char **ret_reason)
{
    const struct judgement *judgement = page->input->judgement;
    unsigned count = 0;
    bool same = true;
    for (size_t i = 0; i < judgement->check_count; i++) {
        if (!is_unknown_like(&judgement->checks[i], check))
            continue;
        same = same && (!check->reason || starts_alike(judgement->checks[i].reason, check->reason));
        count++;
    }
    const char *reason = check->reason ? check->reason : "no reason given";
    size_t length = first_length(reason);
    if (!same)
        *ret_reason = mem_string(origin_of(check)->words);
    else
        *ret_reason = mem_printf("%.*s%s", (int)length, reason, reason[length] ? " (all: -v)" : "");
    return count;
}

static void append_step(const struct page *page, const struct check *check)
{
    const struct origin *origin = origin_of(check);
    struct wrap wrap = page_detail(page, 0, "try: ");
    AUTO_FREE char *explain = mem_printf("gpuenv explain %s", check->code);
    wrap_whole(&wrap, origin ? origin->next : explain);
    if (origin == NULL)
        wrap_words(&wrap, "(how to check by hand)");
    wrap_end(&wrap);
}

void unknown_append(const struct page *page, const struct check *check)
{
    const struct rule *rule = rule_find(check->code);
    AUTO_FREE char *reason = NULL;
    unsigned count = count_alike(page, check, &reason);
    struct wrap wrap = page_line(page, 0, MARK_UNKNOWN, check->code);
    if (count > 1)
        wrap_printf(&wrap, "and %u more check%s could not be decided: %s", count - 1,
                    count == 2 ? "" : "s", reason);
    else
        wrap_printf(&wrap, "cannot tell whether %s: %s", rule ? rule->title : check->cause, reason);
    wrap_end(&wrap);
    append_step(page, check);
}
