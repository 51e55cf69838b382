/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "install/unpack/unpack_private.h"

/* Where the members of an archive go that is not made for a prefix. */

/* One step against a pattern's, in which "*" stands for any number of characters. */
static bool step_fits(const char *pattern, size_t pattern_size, const char *step, size_t size)
{
    const char *star = memchr(pattern, '*', pattern_size);
    if (star == NULL)
        return pattern_size == size && memcmp(pattern, step, size) == 0;
    size_t before = (size_t)(star - pattern), after = pattern_size - before - 1;
    return size >= before + after && memcmp(pattern, step, before) == 0 &&
           memcmp(star + 1, step + size - after, after) == 0;
}

/* What is left of path behind the steps that pattern has; NULL: it does not fit. */
static const char *rest_of(const char *pattern, size_t pattern_size, const char *path)
{
    const char *end = pattern + pattern_size;
    if (pattern_size == 1 && *pattern == '.')
        return path;
    while (pattern < end) {
        size_t wanted = strcspn(pattern, "/"), size = strcspn(path, "/");
        if (wanted > (size_t)(end - pattern))
            wanted = (size_t)(end - pattern);
        if (size == 0 || !step_fits(pattern, wanted, path, size))
            return NULL;
        pattern += wanted + (pattern + wanted < end);
        path += size + (path[size] == '/');
    }
    return path;
}

/* A pattern that ends with "/" is for a directory and what is in it. */
static const char *fits(const char *pattern, size_t pattern_size, const char *path,
                        bool is_directory)
{
    bool inside = pattern_size > 1 && pattern[pattern_size - 1] == '/';
    const char *rest = rest_of(pattern, inside ? pattern_size - 1 : pattern_size, path);
    return rest && *rest == '\0' && inside && !is_directory ? NULL : rest;
}

bool unpack_place_fits(const char *pattern, const char *path)
{
    const char *rest = rest_of(pattern, strlen(pattern), path);
    return rest && *rest == '\0';
}

static void append_place(struct text *text, const char *to, const char *target)
{
    AUTO_FREE char *place = string_fill(to, "{target}", target ? target : "");
    if (!string_equal(to, "."))
        text_append(text, place);
}

bool unpack_place(const struct unpack_places *places, const char *path, bool is_directory,
                  char **ret_place)
{
    static const char arrow[] = " -> ";
    AUTO_TEXT struct text text = {0};
    for (size_t i = 0; places->left_out && i < places->left_out->count; i++) {
        const char *pattern = places->left_out->items[i];
        if (fits(pattern, strlen(pattern), path, is_directory))
            return false;
    }
    for (size_t i = 0; i < places->places->count; i++) {
        const char *row = places->places->items[i];
        const char *at = strstr(row, arrow);
        const char *rest = at ? fits(row, (size_t)(at - row), path, is_directory) : NULL;
        if (rest == NULL)
            continue;
        append_place(&text, at + strlen(arrow), places->target);
        if (text.size > 0 && *rest)
            text_append_char(&text, '/');
        text_append(&text, rest);
        *ret_place = mem_string(text_string(&text));
        return true;
    }
    return false;
}
