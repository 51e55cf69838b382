/* SPDX-License-Identifier: MIT */
#ifndef FACTS_DICTIONARY_H
#define FACTS_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>

#include "facts/facts.h"

/* Who a group of facts belongs to when `--root` and `--facts` are given together. */
enum fact_owner {
    OWNER_TREE, /* files: read below the root */
    OWNER_LIVE, /* the running machine: environment, uname, limits, nodes; from the record */
};

/* Every kind of group. instances: groups are "kind/…", and "kind" itself holds what is about all.
 */
struct fact_kind {
    const char *kind;
    enum fact_owner owner;
    bool instances;
    const char *meaning;
};

/* Every fact. name "*" stands for any name (environment variables). of_instance: it stands in
 * "kind/…", else in "kind". */
struct fact_entry {
    const char *kind;
    bool of_instance;
    const char *name;
    enum fact_type type;
    const char *meaning; /* with its unit and an example */
};

extern const struct fact_kind fact_kinds[];    /* ends with kind NULL */
extern const struct fact_entry fact_entries[]; /* ends with kind NULL */

const struct fact_kind *dictionary_kind(const char *group);
const struct fact_entry *dictionary_entry(const char *group, const char *name);

#endif
