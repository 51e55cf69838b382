/* SPDX-License-Identifier: MIT */
#include "rules/query/remaining.h"

#include <string.h>

#include "base/strlist.h"
#include "rules/query/judged.h"
#include "rules/query/vm_guest.h"

static bool holds_here(const struct facts *facts, const char *item)
{
    if (string_starts(item, "in a container "))
        return judged_place(facts) == PLACE_CONTAINER;
    return !string_starts(item, "in a virtual machine ") || vm_guest_is(facts);
}

char *remaining_here(const struct facts *facts, const char *remaining)
{
    AUTO_STRLIST struct strlist all = {0};
    AUTO_STRLIST struct strlist here = {0};
    strlist_split(&all, remaining, ';');
    for (size_t i = 0; i < all.count; i++) {
        const char *item = all.items[i] + strspn(all.items[i], " ");
        if (holds_here(facts, item))
            strlist_add(&here, item);
    }
    return here.count ? strlist_join(&here, "; ") : mem_string(remaining);
}
