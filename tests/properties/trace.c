/* SPDX-License-Identifier: MIT */
#include "properties/trace.h"

#include <stdlib.h>

#include "base/memory.h"

#define REAL(type, name, ...)                                                                      \
    type __real_##name(__VA_ARGS__);                                                               \
    type __wrap_##name(__VA_ARGS__)
#define OF_FACT const struct facts *facts, const char *group, const char *name

/* clang-format off */
REAL(const struct fact *, facts_get, OF_FACT);
REAL(const struct fact *, facts_peek, OF_FACT);
REAL(const char *, facts_string, OF_FACT);
REAL(bool, facts_integer, OF_FACT, int64_t *ret_value);
REAL(bool, facts_boolean, OF_FACT, bool *ret_value);
REAL(const struct strlist *, facts_list, OF_FACT);
REAL(bool, facts_true, OF_FACT);
REAL(const char *, facts_next, const struct facts *facts, const char *kind, size_t *cursor);
REAL(const char *, facts_find, const struct facts *facts, const char *kind, const char *name,
     const char *value);
/* clang-format on */

static struct {
    struct trace *trace;
    size_t ticks; /* calls of the clock: odd while a rule runs */
} now;

void trace_begin(struct trace *trace)
{
    now.trace = trace;
    now.ticks = 0;
}

double trace_clock(void)
{
    now.ticks++;
    return 0;
}

/* name NULL: the instances of the kind group. */
static void note(const char *group, const char *name)
{
    size_t at;
    if (now.trace == NULL)
        return;
    AUTO_FREE char *key = name ? mem_printf("%s %s", group, name) : mem_printf("%s/", group);
    if (!name_index_find(&now.trace->index, key, &at)) {
        struct trace *trace = now.trace;
        struct asked *asked = vec_push(trace->items, trace->count, trace->capacity);
        *asked = (struct asked){
            .key = mem_steal(&key), .group = mem_string(group), .name = mem_string(name)};
        at = trace->count - 1;
        name_index_add(&trace->index, asked->key, at);
    }
    if (now.ticks % 2 == 0)
        now.trace->items[at].resolver = true;
    else if (now.ticks / 2 < TRACE_RULES)
        now.trace->items[at].rules[now.ticks / 2] = true;
}

void trace_free(struct trace *trace)
{
    for (size_t i = 0; i < trace->count; i++) {
        free(trace->items[i].key);
        free(trace->items[i].group);
        free(trace->items[i].name);
    }
    free(trace->items);
    name_index_free(&trace->index);
    *trace = (struct trace){.count = 0};
}

const struct fact *__wrap_facts_get(OF_FACT)
{
    note(group, name);
    return __real_facts_get(facts, group, name);
}

const struct fact *__wrap_facts_peek(OF_FACT)
{
    note(group, name);
    return __real_facts_peek(facts, group, name);
}

const char *__wrap_facts_string(OF_FACT)
{
    note(group, name);
    return __real_facts_string(facts, group, name);
}

bool __wrap_facts_integer(OF_FACT, int64_t *ret_value)
{
    note(group, name);
    return __real_facts_integer(facts, group, name, ret_value);
}

bool __wrap_facts_boolean(OF_FACT, bool *ret_value)
{
    note(group, name);
    return __real_facts_boolean(facts, group, name, ret_value);
}

const struct strlist *__wrap_facts_list(OF_FACT)
{
    note(group, name);
    return __real_facts_list(facts, group, name);
}

bool __wrap_facts_true(OF_FACT)
{
    note(group, name);
    return __real_facts_true(facts, group, name);
}

const char *__wrap_facts_next(const struct facts *facts, const char *kind, size_t *cursor)
{
    note(kind, NULL);
    note(kind, "count"); /* facts_next() asks for it, unseen from here */
    return __real_facts_next(facts, kind, cursor);
}

/* facts_find() reads the fact of each group itself, unseen from here. */
const char *__wrap_facts_find(const struct facts *facts, const char *kind, const char *name,
                              const char *value)
{
    const char *group;
    note(kind, NULL);
    note(kind, "count");
    for (size_t i = 0; (group = __real_facts_next(facts, kind, &i)) != NULL;)
        note(group, name);
    return __real_facts_find(facts, kind, name, value);
}
