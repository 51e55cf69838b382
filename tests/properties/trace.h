/* SPDX-License-Identifier: MIT */
#ifndef PROPERTIES_TRACE_H
#define PROPERTIES_TRACE_H

#include <stdbool.h>
#include <stddef.h>

#include "facts/facts.h"
#include "facts/name_index.h"

/* Which facts are asked for, and by which rule. The linker puts trace.c between the product's
 * objects and facts/ (ld --wrap), so the product itself is not changed. */

#define TRACE_RULES 256 /* at most that many rules */

/* A fact that was asked for: group and name; or all instances of a kind: group, and name NULL. */
struct asked {
    char *key; /* "group name", or "kind/" */
    char *group, *name;
    bool resolver;           /* asked before the first rule: frameworks_choose() */
    bool rules[TRACE_RULES]; /* asked by that rule of rule_table */
};

struct trace {
    struct asked *items;
    size_t count, capacity;
    struct name_index index;
};

/* From now on each question is noted in trace; NULL: none is. */
void trace_begin(struct trace *trace);
/* For judge_options.now_ms: rules_judge() calls it before and after each rule. */
double trace_clock(void);
void trace_free(struct trace *trace);

#endif
