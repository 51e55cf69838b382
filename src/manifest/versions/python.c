/* SPDX-License-Identifier: MIT */
#include "manifest/versions/python.h"

#include <string.h>

#include "base/strlist.h"
#include "base/text.h"
#include "base/version.h"

/* One part: "3.9-3.13", ">=3.10", "3.8". False: it begins with no version. */
static bool part_read(const char *part, struct version *ret_low, struct version *ret_high)
{
    const char *digits = part + strcspn(part, "0123456789");
    ret_high->count = 0;
    if (!version_parse_prefix(digits, ret_low) || ret_low->count < 2)
        return false;
    const char *dash = strchr(digits, '-');
    if (dash && version_parse_prefix(dash + 1, ret_high))
        return true;
    if (strchr(part, '>') == NULL)
        *ret_high = *ret_low;
    return true;
}

bool python_list_has(const char *list, const struct version *python, struct version *ret_least)
{
    struct version have = *python, low, high;
    have.count = have.count > 2 ? 2 : have.count;
    ret_least->count = 0;
    const char *cut = list ? strchr(list, '(') : NULL;
    AUTO_FREE char *plain =
        list ? mem_string_n(list, cut ? (size_t)(cut - list) : strlen(list)) : mem_string("");
    AUTO_STRLIST struct strlist parts = {0};
    strlist_split(&parts, plain, ';');
    bool has = false;
    for (size_t i = 0; i < parts.count; i++) {
        if (!part_read(parts.items[i], &low, &high))
            continue;
        low.count = 2;
        high.count = high.count > 2 ? 2 : high.count;
        if (ret_least->count == 0 || version_compare(&low, ret_least) < 0)
            *ret_least = low;
        has = has || (version_compare(&have, &low) >= 0 &&
                      (high.count == 0 || version_compare(&have, &high) <= 0));
    }
    return has || ret_least->count == 0;
}
