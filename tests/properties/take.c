/* SPDX-License-Identifier: MIT */
#include "properties/take.h"

#include <string.h>

#include "facts/dictionary.h"

const char *taking_name(enum taking taking)
{
    static const char *const names[] = {
        [TAKE_ABSENT] = "absent", [TAKE_UNKNOWN] = "unknown", [TAKE_SKIPPED] = "skipped"};
    return names[taking];
}

/* The length of the kind in the name of a group. */
static size_t kind_length(const char *group)
{
    return strcspn(group, "/");
}

static bool is_taken(const struct asked *asked, enum extent extent, const char *group,
                     const char *name)
{
    size_t length = kind_length(asked->group);
    switch (extent) {
    case EXTENT_FACT:
        return string_equal(group, asked->group) && string_equal(name, asked->name);
    case EXTENT_INSTANCE:
        return string_equal(group, asked->group);
    case EXTENT_KIND:
        break;
    }
    return kind_length(group) == length && strncmp(group, asked->group, length) == 0;
}

static bool every_group(const char *group)
{
    (void)group;
    return true;
}

/* Whether it was changed. */
static bool take_one(struct facts *facts, const char *group, const char *name, enum taking taking)
{
    const struct fact *fact = facts_get(facts, group, name);
    AUTO_FREE char *source = mem_string(fact->source);
    if (fact->state == FACT_UNKNOWN || fact->state == FACT_SKIPPED)
        return false;
    if (taking == TAKE_UNKNOWN)
        facts_set_unknown(facts, group, name, TAKEN, source);
    else if (taking == TAKE_SKIPPED)
        facts_set_skipped(facts, group, name, TAKEN, source);
    else if (fact->state == FACT_VALUE && dictionary_is_missing(group, name))
        facts_set_absent(facts, group, name, source);
    else
        return false;
    return true;
}

static const char *dropped; /* the kind whose instances are left out, "pci/" */

static bool not_dropped(const char *group)
{
    return !string_starts(group, dropped);
}

/* A copy without the instances of a kind. */
static struct facts *without_instances(const struct facts *facts, const char *group)
{
    AUTO_FREE char *kind = mem_string_n(group, kind_length(group));
    AUTO_FREE char *prefix = mem_printf("%s/", kind);
    struct facts *copy = facts_new();
    dropped = prefix;
    facts_copy(copy, facts, not_dropped);
    dropped = NULL;
    return copy;
}

struct facts *take_away(const struct facts *facts, const struct asked *asked, enum extent extent,
                        enum taking taking)
{
    bool any = false;
    struct facts *copy;
    if (extent == EXTENT_KIND) {
        copy = without_instances(facts, asked->group);
    } else {
        copy = facts_new();
        facts_copy(copy, facts, every_group);
    }
    for (size_t i = 0; i < facts_group_count(copy); i++) {
        const char *group = facts_group_at(copy, i);
        for (size_t k = 0; k < facts_count(copy, group); k++) {
            const char *name = facts_at(copy, group, k)->name;
            if (is_taken(asked, extent, group, name) && take_one(copy, group, name, taking))
                any = true;
        }
    }
    if (any)
        return copy;
    facts_free(copy);
    return NULL;
}
