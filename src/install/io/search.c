/* SPDX-License-Identifier: MIT */
#include "install/io/search.h"

#include <search.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

/* Looks for the first item after another one; NULL: for the first of all. */
struct step {
    int (*compare)(const void *one, const void *other);
    const void *after;
    const void *next; /* the first one on the way so far */
};

/* Never equal: the way ends where the item would be. */
static int go(const void *key, const void *item)
{
    struct step *step = *(struct step *const *)key;
    if (step->after && step->compare(item, step->after) <= 0)
        return 1;
    step->next = item;
    return -1;
}

static bool find_next(struct step *const *key, void *const *root)
{
    (*key)->next = NULL;
    tfind(key, root, go);
    return (*key)->next != NULL;
}

void search_walk(void *const *root, int (*compare)(const void *one, const void *other),
                 void (*visit)(void *item, void *data), void *data)
{
    struct step step = {.compare = compare};
    struct step *const key = &step;
    const void **items = NULL;
    size_t count = 0, capacity = 0;
    while (find_next(&key, root)) {
        *vec_push(items, count, capacity) = step.next;
        step.after = step.next;
    }
    for (size_t i = 0; i < count; i++)
        visit((void *)(uintptr_t)items[i], data);
    free(items);
}
