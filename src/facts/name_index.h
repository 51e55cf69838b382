/* SPDX-License-Identifier: MIT */
#ifndef FACTS_NAME_INDEX_H
#define FACTS_NAME_INDEX_H

#include <stdbool.h>
#include <stddef.h>

/* Private to facts/facts.c and redact*.c: where in an array the item of a name is. Sorted and not
 * hashed: no choice of names, which may come from a stranger's record, makes a search slow. Start
 * with {0}. */
struct name_index {
    struct name_entry *entries;
    size_t count, capacity;
};

bool name_index_find(const struct name_index *index, const char *name, size_t *ret_position);

/* Adds a name that is not there yet. It is not copied. */
void name_index_add(struct name_index *index, const char *name, size_t position);

void name_index_free(struct name_index *index);

#endif
