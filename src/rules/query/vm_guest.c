/* SPDX-License-Identifier: MIT */
#include "rules/query/vm_guest.h"

#include "base/text.h"

bool vm_guest_is(const struct facts *facts)
{
    const char *virtualization = facts_string(facts, "machine", "virtualization");
    return virtualization && !string_equal(virtualization, "none");
}
