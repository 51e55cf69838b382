/* SPDX-License-Identifier: MIT */
#ifndef FACTS_FACTS_H
#define FACTS_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strlist.h"
#include "base/text.h"

/* The record of what was found. A fact stands in a group under a name. A group is a kind ("module")
 * or one instance of a kind ("pci/0000:01:00.0"). Groups and facts keep the order in which they
 * were first set. facts/dictionary.c lists every kind and name there is. */
struct facts;

enum fact_state {
    FACT_VALUE,
    FACT_ABSENT,  /* looked for, not there */
    FACT_UNKNOWN, /* should have answered and did not; never counted as good */
    FACT_SKIPPED, /* not this user's to read while another source decides, or not available here */
};

enum fact_type { FACT_STRING, FACT_INTEGER, FACT_BOOLEAN, FACT_LIST };

struct fact {
    char *name;
    enum fact_state state;
    enum fact_type type; /* of a value */
    char *string;        /* FACT_STRING: as found, any bytes but NUL */
    int64_t integer;     /* FACT_INTEGER */
    bool boolean;        /* FACT_BOOLEAN */
    struct strlist list; /* FACT_LIST: strings */
    char *source;        /* where it was read: a path, "uname(2)", "--assume-driver"; never NULL */
    char *reason;        /* FACT_UNKNOWN and FACT_SKIPPED: one clause; else NULL */
    size_t noted;        /* by which facts_watch() it was noted last; no part of the record */
};

struct facts *facts_new(void);
void facts_free(struct facts *facts);
#define AUTO_FACTS AUTO(facts_free_at)
static inline void facts_free_at(struct facts **facts)
{
    facts_free(*facts);
}

/* Setting a fact again replaces it. Strings are copied. A NULL value in facts_set_string() is
 * FACT_ABSENT. */
void facts_set_string(struct facts *facts, const char *group, const char *name, const char *value,
                      const char *source);
void facts_set_integer(struct facts *facts, const char *group, const char *name, int64_t value,
                       const char *source);
void facts_set_boolean(struct facts *facts, const char *group, const char *name, bool value,
                       const char *source);
void facts_set_list(struct facts *facts, const char *group, const char *name,
                    const struct strlist *value, const char *source);
void facts_set_absent(struct facts *facts, const char *group, const char *name, const char *source);
void facts_set_unknown(struct facts *facts, const char *group, const char *name, const char *reason,
                       const char *source);
void facts_set_skipped(struct facts *facts, const char *group, const char *name, const char *reason,
                       const char *source);

/* The name of an instance's group: "kind/instance", instance made safe. free() it. */
char *facts_group_name(const char *kind, const char *instance);

/* NULL when the fact was never recorded. */
const struct fact *facts_get(const struct facts *facts, const char *group, const char *name);
/* The same for what is shown and decides nothing: facts_watch() does not note it. */
const struct fact *facts_peek(const struct facts *facts, const char *group, const char *name);

/* The value, or NULL / false when there is none of that type. */
const char *facts_string(const struct facts *facts, const char *group, const char *name);
bool facts_integer(const struct facts *facts, const char *group, const char *name,
                   int64_t *ret_value);
bool facts_boolean(const struct facts *facts, const char *group, const char *name, bool *ret_value);
const struct strlist *facts_list(const struct facts *facts, const char *group, const char *name);

/* From now on each fact that these functions are asked for and that is unknown, skipped or missing
 * (absent, dictionary_is_missing()) is noted, once; walking a kind, or asking for an instance that
 * is not there, asks for the kind's fact "count", or for all facts of a kind that has none. What
 * was noted before is forgotten. The record itself stays as it is: rules/judge.c asks what a rule
 * did not get to know. */
void facts_watch(const struct facts *facts, bool on);
/* The index-th that was noted, and its group; NULL: there is none. */
const struct fact *facts_lacking(const struct facts *facts, size_t index, const char **ret_group);

/* True only when the fact is recorded as a boolean with value true. */
bool facts_true(const struct facts *facts, const char *group, const char *name);

/* Walking: for (size_t i = 0; (group = facts_next(facts, "pci", &i)) != NULL;) … visits the groups
 * of instances of that kind ("pci/…"), in order. The cursor starts at 0 or is one of the same kind.
 */
const char *facts_next(const struct facts *facts, const char *kind, size_t *cursor);
/* The first group of the kind whose fact of that name is this string; NULL: none, or value is NULL.
 */
const char *facts_find(const struct facts *facts, const char *kind, const char *name,
                       const char *value);
size_t facts_group_count(const struct facts *facts);
const char *facts_group_at(const struct facts *facts, size_t index);
size_t facts_count(const struct facts *facts, const char *group);
const struct fact *facts_at(const struct facts *facts, const char *group, size_t index);

/* Copies every group for which wanted(group) is true; facts that are there already are replaced. */
void facts_copy(struct facts *target, const struct facts *source,
                bool (*wanted)(const char *group));
/* The same for one group, and for one fact. */
void facts_copy_group(struct facts *target, const struct facts *source, const char *group);
void facts_copy_fact(struct facts *target, const char *group, const struct fact *source);

#endif
