/* SPDX-License-Identifier: MIT */
#include "probe/python/python_literal.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"

#define VALUES_MAX 256

struct scan {
    const char *at, *end;
};

static void skip_blank(struct scan *scan, bool lines)
{
    while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t' ||
                                    (lines && (*scan->at == '\n' || *scan->at == '\r'))))
        scan->at++;
}

static bool take(struct scan *scan, char c)
{
    bool is = scan->at < scan->end && *scan->at == c;
    scan->at += is;
    return is;
}

/* A string in quotes, without escapes but \" and the like; false when it does not end in its line.
 */
static bool take_string(struct scan *scan, char **ret_value)
{
    char quote = *scan->at++;
    AUTO_TEXT struct text value = {0};
    for (; scan->at < scan->end && *scan->at != quote; scan->at++) {
        if (*scan->at == '\\' && scan->at + 1 < scan->end)
            scan->at++;
        if (*scan->at == '\n' || *scan->at == '\0' || value.size == LITERAL_MAX)
            return false;
        text_append_char(&value, *scan->at);
    }
    if (!take(scan, quote))
        return false;
    *ret_value = text_steal(&value);
    return true;
}

static bool take_word(struct scan *scan, char **ret_value)
{
    const char *start = scan->at;
    while (scan->at < scan->end &&
           (isalnum((unsigned char)*scan->at) || strchr("._+-", *scan->at)) && *scan->at != '\0')
        scan->at++;
    size_t length = (size_t)(scan->at - start);
    if (length == 0 || length > LITERAL_MAX)
        return false;
    /* A call, a sum, a variable's part: no literal. */
    struct scan rest = *scan;
    skip_blank(&rest, false);
    if (rest.at < rest.end && strchr("([{*/%", *rest.at) && *rest.at != '\0')
        return false;
    *ret_value = mem_string_n(start, length);
    return true;
}

static bool take_value(struct scan *scan, char **ret_value)
{
    if (scan->at == scan->end)
        return false;
    if (*scan->at == '\'' || *scan->at == '"')
        return take_string(scan, ret_value);
    return take_word(scan, ret_value);
}

/* Behind the name: nothing or `: annotation`, then `=` but not `==`. */
static bool take_assignment(struct scan *scan)
{
    skip_blank(scan, false);
    if (take(scan, ':'))
        while (scan->at < scan->end && *scan->at != '=' && *scan->at != '\n')
            scan->at++;
    if (!take(scan, '=') || (scan->at < scan->end && *scan->at == '='))
        return false;
    skip_blank(scan, false);
    return true;
}

bool python_assigned(const char *bytes, size_t size, const char *name, char **ret_value)
{
    size_t length = strlen(name);
    const char *end = bytes + size;
    for (const char *line = bytes; line < end;) {
        struct scan scan = {.at = line + length, .end = end};
        if ((size_t)(end - line) > length && memcmp(line, name, length) == 0 &&
            take_assignment(&scan) && take_value(&scan, ret_value))
            return true;
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        line = stop ? stop + 1 : end;
    }
    return false;
}

static bool take_list(struct scan *scan, struct strlist *values)
{
    for (size_t count = 0; count < VALUES_MAX; count++) {
        char *value;
        skip_blank(scan, true);
        if (take(scan, ']'))
            return true;
        if (!take_value(scan, &value))
            return false;
        strlist_take(values, value);
        skip_blank(scan, true);
        take(scan, ',');
    }
    return true;
}

static bool take_item(struct scan *scan, struct strlist *values)
{
    skip_blank(scan, false);
    if (!take(scan, ':') && !take(scan, ','))
        return false;
    skip_blank(scan, true);
    if (take(scan, '['))
        return take_list(scan, values);
    char *value;
    if (!take_value(scan, &value))
        return false;
    strlist_take(values, value);
    return true;
}

bool python_item(const char *bytes, size_t size, const char *key, struct strlist *values)
{
    size_t length = strlen(key);
    const char *end = bytes + size;
    for (const char *at = bytes; (size_t)(end - at) > length + 1; at++) {
        at = memchr(at, key[0], (size_t)(end - at) - length);
        if (at == NULL)
            return false;
        bool quoted = at > bytes && (at[-1] == '\'' || at[-1] == '"') && at[length] == at[-1];
        if (!quoted || memcmp(at, key, length) != 0)
            continue;
        struct scan scan = {.at = at + length + 1, .end = end};
        AUTO_STRLIST struct strlist found = {0};
        if (!take_item(&scan, &found))
            continue;
        strlist_copy(values, &found);
        return true;
    }
    return false;
}

char *python_item_one(const char *bytes, size_t size, const char *key)
{
    AUTO_STRLIST struct strlist values = {0};
    if (!python_item(bytes, size, key, &values) || values.count != 1 ||
        string_equal(values.items[0], "None") || string_equal(values.items[0], "null"))
        return NULL;
    return mem_string(values.items[0]);
}
