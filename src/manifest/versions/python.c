/* SPDX-License-Identifier: MIT */
#include "manifest/versions/python.h"

#include <string.h>

#include "base/strlist.h"
#include "base/text.h"
#include "base/version.h"

/* The Pythons of one part, both ends among them. */
struct span {
    struct version low, high; /* count 0: no end */
    bool below;               /* the upper end itself is not among them */
};

/* ",<3.15" behind the lower end. */
static void read_upper(const char *text, struct span *span)
{
    const char *sign = strchr(text, '<');
    if (sign == NULL)
        return;
    span->below = sign[1] != '=';
    sign += strcspn(sign, "0123456789");
    if (!version_parse_prefix(sign, &span->high) || span->high.count < 2 || !span->high.part[1])
        span->high.count = 0; /* "<4", "<4.0": every Python 3 */
    span->high.count = span->high.count > 2 ? 2 : span->high.count;
}

/* One part: "3.9-3.13", ">=3.10", ">=3.10,<3.15", "3.8". False: it begins with no version. */
static bool part_read(const char *part, struct span *ret_span)
{
    const char *digits = part + strcspn(part, "0123456789");
    *ret_span = (struct span){.low = {.count = 0}};
    if (!version_parse_prefix(digits, &ret_span->low) || ret_span->low.count < 2)
        return false;
    ret_span->low.count = 2;
    const char *dash = strchr(digits, '-');
    if (dash && version_parse_prefix(dash + 1, &ret_span->high))
        ret_span->high.count = ret_span->high.count > 2 ? 2 : ret_span->high.count;
    else if (strchr(part, '>'))
        read_upper(digits, ret_span);
    else
        ret_span->high = ret_span->low;
    return true;
}

static bool span_has(const struct span *span, const struct version *python)
{
    int order = span->high.count ? version_compare(python, &span->high) : -1;
    return version_compare(python, &span->low) >= 0 && (span->below ? order < 0 : order <= 0);
}

/* The newest that it names: of ">=3.10,<3.15" that is 3.14, of ">=3.10" it is 3.10. */
static struct version span_newest(const struct span *span)
{
    struct version newest = span->high.count ? span->high : span->low;
    if (span->high.count && span->below) {
        newest.part[1]--;
        newest.width[1] = 0;
    }
    return newest;
}

bool python_list_has(const char *list, const struct version *python, struct version *ret_newest)
{
    struct version have = *python;
    struct span span;
    have.count = have.count > 2 ? 2 : have.count;
    ret_newest->count = 0;
    const char *cut = list ? strchr(list, '(') : NULL;
    AUTO_FREE char *plain =
        list ? mem_string_n(list, cut ? (size_t)(cut - list) : strlen(list)) : mem_string("");
    AUTO_STRLIST struct strlist parts = {0};
    strlist_split(&parts, plain, ';');
    bool has = false;
    for (size_t i = 0; i < parts.count; i++) {
        if (!part_read(parts.items[i], &span))
            continue;
        struct version newest = span_newest(&span);
        if (ret_newest->count == 0 || version_compare(&newest, ret_newest) > 0)
            *ret_newest = newest;
        has = has || span_has(&span, &have);
    }
    return has || ret_newest->count == 0;
}

struct version python_list_newest(const char *list)
{
    struct version newest, none = {.count = 0};
    python_list_has(list, &none, &newest);
    return newest;
}
