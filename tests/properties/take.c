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

static const char *saved_group; /* the one whose facts are changed */

static bool is_saved(const char *group)
{
    return string_equal(group, saved_group);
}

static void save_group(struct taken *taken, struct facts *facts, const char *group)
{
    taken->facts = taken->owner = facts;
    taken->saved = facts_new();
    saved_group = group;
    facts_copy(taken->saved, facts, is_saved);
    saved_group = NULL;
}

static bool take_of_group(struct facts *facts, const char *group, const struct asked *asked,
                          enum extent extent, enum taking taking)
{
    bool any = false;
    for (size_t i = 0; i < facts_count(facts, group); i++) {
        const char *name = facts_at(facts, group, i)->name;
        if (is_taken(asked, extent, group, name) && take_one(facts, group, name, taking))
            any = true;
    }
    return any;
}

/* Whether the kind counts its instances, and is not said to lack something when the count is
 * absent: a record without them would contradict itself. */
static bool says_all(const struct facts *facts, const char *group)
{
    AUTO_FREE char *kind = mem_string_n(group, kind_length(group));
    const struct fact *count = facts_get(facts, kind, "count");
    return count && count->state == FACT_VALUE && !dictionary_is_missing(kind, "count");
}

bool take_away(struct facts *facts, const struct asked *asked, enum extent extent,
               enum taking taking, struct taken *ret_taken)
{
    bool any = false;
    *ret_taken = (struct taken){.facts = NULL};
    if (extent == EXTENT_KIND && taking == TAKE_ABSENT && says_all(facts, asked->group))
        return false;
    if (extent == EXTENT_KIND) {
        ret_taken->facts = without_instances(facts, asked->group);
        for (size_t i = 0; i < facts_group_count(ret_taken->facts); i++)
            any |= take_of_group(ret_taken->facts, facts_group_at(ret_taken->facts, i), asked,
                                 extent, taking);
    } else {
        save_group(ret_taken, facts, asked->group);
        any = take_of_group(facts, asked->group, asked, extent, taking);
    }
    if (!any)
        put_back(ret_taken);
    return any;
}

void put_back(struct taken *taken)
{
    if (taken->owner) {
        facts_copy(taken->owner, taken->saved, every_group);
        facts_free(taken->saved);
    } else {
        facts_free(taken->facts);
    }
    *taken = (struct taken){.facts = NULL};
}
