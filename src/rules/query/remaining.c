/* SPDX-License-Identifier: MIT */
#include "rules/query/remaining.h"

#include <string.h>

#include "base/strlist.h"
#include "rules/query/confidential.h"
#include "rules/query/judged.h"
#include "rules/query/vm_guest.h"

#define IN_WSL "in WSL"

static bool is_container(const struct facts *facts)
{
    return judged_place(facts) == PLACE_CONTAINER;
}

static bool is_wsl(const struct facts *facts)
{
    return judged_place(facts) == PLACE_WSL;
}

/* GPUs that were set to ready wait for nothing. */
static bool may_wait_for_attestation(const struct facts *facts)
{
    return confidential_is(facts) && !facts_true(facts, "nvml", "confidential_ready");
}

/* From Blackwell on they are not on the bus, but the GPUs have a fabric. A machine that does not
 * tell may have them. */
static bool may_have_switches(const struct facts *facts)
{
    int64_t count = 1;
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "nvml", &i)) != NULL;) {
        const char *state = facts_string(facts, group, "fabric_state");
        if (state && !string_equal(state, "not-supported"))
            return true;
    }
    facts_integer(facts, "pci", "nvswitch_count", &count);
    return count > 0;
}

static bool has_hmm(const struct facts *facts)
{
    bool disabled = true;
    facts_boolean(facts, "driver_parameter", "uvm_disable_hmm", &disabled);
    return !disabled;
}

/* Whoever cannot tell may have been. */
static bool may_have_been_suspended(const struct facts *facts)
{
    int64_t suspends = 1;
    facts_integer(facts, "boot", "suspends", &suspends);
    return suspends > 0;
}

/* How an item begins that holds on some machines alone. */
static const struct {
    const char *words;
    bool (*holds)(const struct facts *facts);
} conditions[] = {
    {"in a container", is_container},
    {IN_WSL, is_wsl},
    {"in a virtual machine", vm_guest_is},
    {"in a confidential virtual machine", may_wait_for_attestation},
    {"with NVSwitches", may_have_switches},
    {"with HMM", has_hmm},
    {"after a suspend", may_have_been_suspended},
};

static bool starts_with_words(const char *item, const char *words)
{
    size_t size = strlen(words);
    return string_starts(item, words) && (item[size] == ' ' || item[size] == ',');
}

static bool holds_here(const struct facts *facts, const char *item)
{
    for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++)
        if (starts_with_words(item, conditions[i].words))
            return conditions[i].holds(facts);
    return true;
}

/* Few machines are confidential: where one is, this comes first. */
static bool comes_first(const char *item)
{
    return string_starts(item, "in a confidential ");
}

/* In WSL the driver is Windows's: where something is said of WSL, nothing else holds there. */
static void keep_those_of_wsl(struct strlist *items)
{
    AUTO_STRLIST struct strlist kept = {0};
    for (size_t i = 0; i < items->count; i++)
        if (starts_with_words(items->items[i], IN_WSL))
            strlist_add(&kept, items->items[i]);
    if (kept.count == 0)
        return;
    strlist_free(items);
    strlist_copy(items, &kept);
}

char *remaining_here(const struct facts *facts, const char *remaining)
{
    AUTO_STRLIST struct strlist all = {0};
    AUTO_STRLIST struct strlist here = {0};
    strlist_split(&all, remaining, ';');
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < all.count; i++) {
            const char *item = all.items[i] + strspn(all.items[i], " ");
            if (comes_first(item) == (pass == 0) && holds_here(facts, item))
                strlist_add(&here, item);
        }
    if (is_wsl(facts))
        keep_those_of_wsl(&here);
    return here.count ? strlist_join(&here, "; ") : mem_string(remaining);
}
