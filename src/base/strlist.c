/* SPDX-License-Identifier: MIT */
#include "base/strlist.h"

#include <string.h>

#include "base/text.h"

void strlist_take(struct strlist *list, char *string)
{
    *vec_push(list->items, list->count, list->capacity) = string;
}

void strlist_add(struct strlist *list, const char *string)
{
    strlist_take(list, mem_string(string));
}

bool strlist_has(const struct strlist *list, const char *string)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], string) == 0)
            return true;
    return false;
}

bool strlist_add_new(struct strlist *list, const char *string)
{
    if (strlist_has(list, string))
        return false;
    strlist_add(list, string);
    return true;
}

static int compare_strings(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void strlist_sort(struct strlist *list)
{
    if (list->count > 1)
        qsort(list->items, list->count, sizeof(*list->items), compare_strings);
}

void strlist_copy(struct strlist *target, const struct strlist *source)
{
    for (size_t i = 0; i < source->count; i++)
        strlist_add(target, source->items[i]);
}

void strlist_split(struct strlist *list, const char *string, char separator)
{
    const char *start = string;
    for (;;) {
        const char *end = strchrnul(start, separator);
        strlist_take(list, mem_string_n(start, (size_t)(end - start)));
        if (*end == '\0')
            return;
        start = end + 1;
    }
}

void strlist_split_any(struct strlist *list, const char *string, const char *separators)
{
    while (*(string += strspn(string, separators)) != '\0') {
        size_t size = strcspn(string, separators);
        strlist_take(list, mem_string_n(string, size));
        string += size;
    }
}

void strlist_split_words(struct strlist *list, const char *string)
{
    strlist_split_any(list, string, " \t\r\n");
}

char *strlist_join(const struct strlist *list, const char *separator)
{
    AUTO_TEXT struct text joined = {0};
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0)
            text_append(&joined, separator);
        text_append(&joined, list->items[i]);
    }
    return text_steal(&joined);
}

void strlist_free(struct strlist *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct strlist){0};
}
