/* SPDX-License-Identifier: MIT */
#include "probe/python/metadata.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

/* The next line, without its end; false at the end. Lines that are not to be used are skipped. */
static bool next_line(const char **at, const char *end, const char **ret_line, size_t *ret_length)
{
    while (*at < end) {
        const char *line = *at;
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((stop ? stop : end) - line);
        *at = stop ? stop + 1 : end;
        if (length > METADATA_LINE_MAX || memchr(line, '\0', length))
            continue;
        if (length > 0 && line[length - 1] == '\r')
            length--;
        *ret_line = line;
        *ret_length = length;
        return true;
    }
    return false;
}

/* The trimmed value behind "key:"; NULL when the line is of another key. */
static char *line_value(const char *line, size_t length, const char *key)
{
    size_t size = strlen(key);
    if (length <= size || strncasecmp(line, key, size) != 0 || line[size] != ':')
        return NULL;
    AUTO_FREE char *value = mem_string_n(line + size + 1, length - size - 1);
    return mem_string(string_trim(value));
}

void metadata_values(const char *bytes, size_t size, const char *key, size_t max,
                     struct strlist *values)
{
    const char *at = bytes, *line;
    size_t length, count = 0;
    while (count < max && next_line(&at, bytes + size, &line, &length) && length > 0) {
        char *value = line_value(line, length, key);
        if (value == NULL)
            continue;
        strlist_take(values, value);
        count++;
    }
}

char *metadata_value(const char *bytes, size_t size, const char *key)
{
    AUTO_STRLIST struct strlist values = {0};
    metadata_values(bytes, size, key, 1, &values);
    return values.count > 0 ? mem_string(values.items[0]) : NULL;
}

/* "a/b": no absolute path, no "." or ".." or empty part. */
static bool path_stays(const char *path, size_t length)
{
    size_t start = 0;
    for (size_t i = 0; i <= length; i++) {
        if (i < length && path[i] != '/')
            continue;
        size_t size = i - start;
        bool dots = (size == 1 && path[start] == '.') ||
                    (size == 2 && path[start] == '.' && path[start + 1] == '.');
        if (size == 0 || dots)
            return false;
        start = i + 1;
    }
    return true;
}

static bool parse_size(const char *digits, size_t length, uint64_t *ret_size)
{
    uint64_t size = 0;
    for (size_t i = 0; i < length; i++) {
        if (!isdigit((unsigned char)digits[i]))
            return false;
        size = size * 10 + (uint64_t)(digits[i] - '0');
    }
    *ret_size = size;
    return length > 0 && length <= 18;
}

bool record_next(const char **at, const char *end, struct record_entry *ret_entry)
{
    const char *line;
    size_t length;
    while (next_line(at, end, &line, &length)) {
        const char *comma = memchr(line, ',', length);
        size_t path = comma ? (size_t)(comma - line) : length;
        if (path == 0 || line[0] == '"' || !path_stays(line, path))
            continue;
        size_t last = length; /* behind the last comma */
        while (last > path && line[last - 1] != ',')
            last--;
        *ret_entry = (struct record_entry){.path = line, .length = path};
        if (last > path)
            ret_entry->sized = parse_size(line + last, length - last, &ret_entry->size);
        return true;
    }
    return false;
}

char *package_name_normal(const char *name)
{
    AUTO_TEXT struct text normal = {0};
    for (const char *c = name; *c; c++) {
        if (strchr("-_.", *c) == NULL)
            text_append_char(&normal, (char)tolower((unsigned char)*c));
        else if (c == name || strchr("-_.", c[-1]) == NULL)
            text_append_char(&normal, '-');
    }
    return text_steal(&normal);
}
