/* SPDX-License-Identifier: MIT */
#ifndef BASE_STRLIST_H
#define BASE_STRLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

/* A list of strings that it owns. Start with {0}. */
struct strlist {
    char **items;
    size_t count;
    size_t capacity;
};

#define AUTO_STRLIST AUTO(strlist_free)

void strlist_add(struct strlist *list, const char *string);     /* copies */
void strlist_take(struct strlist *list, char *string);          /* takes ownership */
bool strlist_add_new(struct strlist *list, const char *string); /* false when it was there */
bool strlist_has(const struct strlist *list, const char *string);
void strlist_sort(struct strlist *list);                                 /* by byte value */
void strlist_copy(struct strlist *target, const struct strlist *source); /* adds all of source */
void strlist_split(struct strlist *list, const char *string,
                   char separator); /* keeps empty parts */
/* Adds what stands between any of these characters, without empty parts. */
void strlist_split_any(struct strlist *list, const char *string, const char *separators);
/* The same for words, which white space (space, tab, CR, LF) separates. */
void strlist_split_words(struct strlist *list, const char *string);
char *strlist_join(const struct strlist *list, const char *separator); /* free() it */
void strlist_free(struct strlist *list);

#endif
