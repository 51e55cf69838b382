/* SPDX-License-Identifier: MIT */
#include "facts/facts.h"

#include <string.h>

#include "facts/dictionary.h"
#include "facts/name_index.h"

struct group {
    char *name;
    struct fact *facts;
    size_t count, capacity;
    struct name_index index;
    size_t next; /* the next one of its kind; 0: it is the last */
};

/* The groups "kind/…". */
struct kind {
    char *name;
    size_t first, last;
};

/* A fact that was asked for and has no answer. */
struct lacking {
    const char *group;
    const struct fact *fact;
};
struct watch {
    bool on;
    size_t round; /* counts the calls of facts_watch() */
    struct lacking *items;
    size_t count, capacity;
};

/* Groups in order. */
struct facts {
    struct group *groups;
    size_t count, capacity;
    struct name_index index;
    struct kind *kinds;
    size_t kind_count, kind_capacity;
    struct name_index kind_index;
    struct watch *watch; /* never NULL: what is noted of questions is no part of the record */
};

struct facts *facts_new(void)
{
    struct facts *facts = mem_alloc(sizeof(struct facts));
    facts->watch = mem_alloc(sizeof(struct watch));
    return facts;
}

static void fact_release_value(struct fact *fact)
{
    free(fact->string);
    strlist_free(&fact->list);
    free(fact->source);
    free(fact->reason);
    *fact = (struct fact){.name = fact->name};
}

void facts_free(struct facts *facts)
{
    if (facts == NULL)
        return;
    for (size_t i = 0; i < facts->count; i++) {
        struct group *group = &facts->groups[i];
        for (size_t k = 0; k < group->count; k++) {
            fact_release_value(&group->facts[k]);
            free(group->facts[k].name);
        }
        name_index_free(&group->index);
        free(group->facts);
        free(group->name);
    }
    for (size_t i = 0; i < facts->kind_count; i++)
        free(facts->kinds[i].name);
    name_index_free(&facts->kind_index);
    free(facts->kinds);
    name_index_free(&facts->index);
    free(facts->groups);
    free(facts->watch->items);
    free(facts->watch);
    free(facts);
}

static struct group *group_find(const struct facts *facts, const char *name)
{
    size_t position;
    return name_index_find(&facts->index, name, &position) ? &facts->groups[position] : NULL;
}

static void kind_add(struct facts *facts, size_t position)
{
    const char *name = facts->groups[position].name, *slash = strchr(name, '/');
    size_t at;
    if (slash == NULL)
        return;
    AUTO_FREE char *word = mem_string_n(name, (size_t)(slash - name));
    if (name_index_find(&facts->kind_index, word, &at)) {
        struct kind *kind = &facts->kinds[at];
        facts->groups[kind->last].next = position;
        kind->last = position;
        return;
    }
    struct kind *kind = vec_push(facts->kinds, facts->kind_count, facts->kind_capacity);
    *kind = (struct kind){.name = mem_steal(&word), .first = position, .last = position};
    name_index_add(&facts->kind_index, kind->name, facts->kind_count - 1);
}

static struct group *group_obtain(struct facts *facts, const char *name)
{
    struct group *group = group_find(facts, name);
    if (group == NULL) {
        group = vec_push(facts->groups, facts->count, facts->capacity);
        group->name = mem_string(name);
        name_index_add(&facts->index, group->name, facts->count - 1);
        kind_add(facts, facts->count - 1);
    }
    return group;
}

static struct fact *fact_find(const struct group *group, const char *name)
{
    size_t position;
    return name_index_find(&group->index, name, &position) ? &group->facts[position] : NULL;
}

/* An empty fact under that name, ready to be filled. */
static struct fact *fact_renew(struct facts *facts, const char *group_name, const char *name,
                               enum fact_state state, const char *source)
{
    struct group *group = group_obtain(facts, group_name);
    struct fact *fact = fact_find(group, name);
    if (fact == NULL) {
        fact = vec_push(group->facts, group->count, group->capacity);
        fact->name = mem_string(name);
        name_index_add(&group->index, fact->name, group->count - 1);
    } else {
        fact_release_value(fact);
    }
    fact->state = state;
    fact->source = mem_string(source);
    return fact;
}

void facts_set_string(struct facts *facts, const char *group, const char *name, const char *value,
                      const char *source)
{
    if (value == NULL) {
        facts_set_absent(facts, group, name, source);
        return;
    }
    struct fact *fact = fact_renew(facts, group, name, FACT_VALUE, source);
    fact->type = FACT_STRING;
    fact->string = mem_string(value);
}

void facts_set_integer(struct facts *facts, const char *group, const char *name, int64_t value,
                       const char *source)
{
    struct fact *fact = fact_renew(facts, group, name, FACT_VALUE, source);
    fact->type = FACT_INTEGER;
    fact->integer = value;
}

void facts_set_boolean(struct facts *facts, const char *group, const char *name, bool value,
                       const char *source)
{
    struct fact *fact = fact_renew(facts, group, name, FACT_VALUE, source);
    fact->type = FACT_BOOLEAN;
    fact->boolean = value;
}

void facts_set_list(struct facts *facts, const char *group, const char *name,
                    const struct strlist *value, const char *source)
{
    struct fact *fact = fact_renew(facts, group, name, FACT_VALUE, source);
    fact->type = FACT_LIST;
    strlist_copy(&fact->list, value);
}

void facts_set_absent(struct facts *facts, const char *group, const char *name, const char *source)
{
    fact_renew(facts, group, name, FACT_ABSENT, source);
}

void facts_set_unknown(struct facts *facts, const char *group, const char *name, const char *reason,
                       const char *source)
{
    fact_renew(facts, group, name, FACT_UNKNOWN, source)->reason = mem_string(reason);
}

void facts_set_skipped(struct facts *facts, const char *group, const char *name, const char *reason,
                       const char *source)
{
    fact_renew(facts, group, name, FACT_SKIPPED, source)->reason = mem_string(reason);
}

char *facts_group_name(const char *kind, const char *instance)
{
    AUTO_FREE char *safe = string_safe(instance);
    return mem_printf("%s/%s", kind, safe);
}

void facts_watch(const struct facts *facts, bool on)
{
    facts->watch->on = on;
    facts->watch->round++;
    facts->watch->count = 0;
}

const struct fact *facts_lacking(const struct facts *facts, size_t index, const char **ret_group)
{
    if (index >= facts->watch->count)
        return NULL;
    *ret_group = facts->watch->items[index].group;
    return facts->watch->items[index].fact;
}

static void watch_note(const struct facts *facts, const char *group, struct fact *fact)
{
    struct watch *watch = facts->watch;
    if (!watch->on || fact->state == FACT_VALUE || fact->noted == watch->round ||
        (fact->state == FACT_ABSENT && !dictionary_is_missing(group, fact->name)))
        return;
    fact->noted = watch->round;
    struct lacking *lacking = vec_push(watch->items, watch->count, watch->capacity);
    *lacking = (struct lacking){.group = group, .fact = fact};
}

/* Whether the instances of a kind are all there are: its fact "count" tells, or the other facts of
 * a kind that has none. */
static void watch_kind(const struct facts *facts, const char *kind)
{
    size_t at;
    const struct group *group = group_find(facts, kind);
    if (group == NULL || !facts->watch->on)
        return;
    if (name_index_find(&group->index, "count", &at))
        watch_note(facts, group->name, &group->facts[at]);
    else
        for (size_t i = 0; i < group->count; i++)
            watch_note(facts, group->name, &group->facts[i]);
}

const struct fact *facts_peek(const struct facts *facts, const char *group, const char *name)
{
    const struct group *found = group_find(facts, group);
    return found ? fact_find(found, name) : NULL;
}

const struct fact *facts_get(const struct facts *facts, const char *group, const char *name)
{
    const struct group *found = group_find(facts, group);
    struct fact *fact = found ? fact_find(found, name) : NULL;
    if (fact) {
        watch_note(facts, found->name, fact);
    } else if (found == NULL && facts->watch->on && strchr(group, '/')) {
        AUTO_FREE char *kind = mem_string_n(group, strcspn(group, "/"));
        watch_kind(facts, kind);
    }
    return fact;
}

static const struct fact *fact_of_type(const struct facts *facts, const char *group,
                                       const char *name, enum fact_type type)
{
    const struct fact *fact = facts_get(facts, group, name);
    return fact && fact->state == FACT_VALUE && fact->type == type ? fact : NULL;
}

const char *facts_string(const struct facts *facts, const char *group, const char *name)
{
    const struct fact *fact = fact_of_type(facts, group, name, FACT_STRING);
    return fact ? fact->string : NULL;
}

bool facts_integer(const struct facts *facts, const char *group, const char *name,
                   int64_t *ret_value)
{
    const struct fact *fact = fact_of_type(facts, group, name, FACT_INTEGER);
    if (fact == NULL)
        return false;
    *ret_value = fact->integer;
    return true;
}

bool facts_boolean(const struct facts *facts, const char *group, const char *name, bool *ret_value)
{
    const struct fact *fact = fact_of_type(facts, group, name, FACT_BOOLEAN);
    if (fact == NULL)
        return false;
    *ret_value = fact->boolean;
    return true;
}

const struct strlist *facts_list(const struct facts *facts, const char *group, const char *name)
{
    const struct fact *fact = fact_of_type(facts, group, name, FACT_LIST);
    return fact ? &fact->list : NULL;
}

bool facts_true(const struct facts *facts, const char *group, const char *name)
{
    bool value = false;
    return facts_boolean(facts, group, name, &value) && value;
}

/* The cursor stands behind the group that was the last one to be told. */
const char *facts_next(const struct facts *facts, const char *kind, size_t *cursor)
{
    size_t at;
    if (*cursor == 0) {
        watch_kind(facts, kind);
        if (!name_index_find(&facts->kind_index, kind, &at))
            return NULL;
        at = facts->kinds[at].first;
    } else {
        at = facts->groups[*cursor - 1].next;
        if (at == 0)
            return NULL;
    }
    *cursor = at + 1;
    return facts->groups[at].name;
}

const char *facts_find(const struct facts *facts, const char *kind, const char *name,
                       const char *value)
{
    const char *group;
    for (size_t i = 0; value && (group = facts_next(facts, kind, &i)) != NULL;)
        if (string_equal(facts_string(facts, group, name), value))
            return group;
    return NULL;
}

size_t facts_group_count(const struct facts *facts)
{
    return facts->count;
}

const char *facts_group_at(const struct facts *facts, size_t index)
{
    return facts->groups[index].name;
}

size_t facts_count(const struct facts *facts, const char *group)
{
    const struct group *found = group_find(facts, group);
    return found ? found->count : 0;
}

const struct fact *facts_at(const struct facts *facts, const char *group, size_t index)
{
    return &group_find(facts, group)->facts[index];
}

void facts_copy_fact(struct facts *target, const char *group, const struct fact *source)
{
    struct fact *fact = fact_renew(target, group, source->name, source->state, source->source);
    fact->type = source->type;
    fact->integer = source->integer;
    fact->boolean = source->boolean;
    fact->string = mem_string(source->string);
    fact->reason = mem_string(source->reason);
    strlist_copy(&fact->list, &source->list);
}

void facts_copy_group(struct facts *target, const struct facts *source, const char *group)
{
    const struct group *found = group_find(source, group);
    if (found == NULL)
        return;
    group_obtain(target, group);
    for (size_t k = 0; k < found->count; k++)
        facts_copy_fact(target, group, &found->facts[k]);
}

void facts_copy(struct facts *target, const struct facts *source, bool (*wanted)(const char *group))
{
    for (size_t i = 0; i < source->count; i++)
        if (wanted(source->groups[i].name))
            facts_copy_group(target, source, source->groups[i].name);
}
