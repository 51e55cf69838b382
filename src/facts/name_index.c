/* SPDX-License-Identifier: MIT */
#include "facts/name_index.h"

#include <string.h>

#include "base/memory.h"

struct name_entry {
    const char *name;
    size_t position;
};

/* The number of entries whose names come before name. */
static size_t place_of(const struct name_index *index, const char *name)
{
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(index->entries[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool name_index_find(const struct name_index *index, const char *name, size_t *ret_position)
{
    size_t place = place_of(index, name);
    if (place == index->count || strcmp(index->entries[place].name, name) != 0)
        return false;
    *ret_position = index->entries[place].position;
    return true;
}

void name_index_add(struct name_index *index, const char *name, size_t position)
{
    size_t place = place_of(index, name);
    size_t behind = index->count - place;
    vec_push(index->entries, index->count, index->capacity);
    struct name_entry *entry = &index->entries[place];
    memmove(entry + 1, entry, behind * sizeof(*entry));
    *entry = (struct name_entry){.name = name, .position = position};
}

void name_index_free(struct name_index *index)
{
    free(index->entries);
    *index = (struct name_index){0};
}
