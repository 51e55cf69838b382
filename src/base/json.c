/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <string.h>

/* What a text would become, counted before jansson sees it: its own depth limit is 2048 and cannot
 * be lowered, and each value takes it some hundred bytes, whatever it took in the text. */
struct extent {
    unsigned depth;
    size_t values; /* at most: one for each bracket and comma, and one */
    size_t offset; /* where the counting ended: the end of the text, or what exceeds a limit */
};

static size_t values_max(size_t max)
{
    return max / JSON_BYTES_PER_VALUE > JSON_VALUES ? max / JSON_BYTES_PER_VALUE : JSON_VALUES;
}

static struct extent extent_of(const char *text, size_t size, size_t values)
{
    struct extent extent = {.values = 1};
    size_t i;
    bool in_string = false;
    for (i = 0; i < size && extent.depth <= JSON_DEPTH && extent.values <= values; i++) {
        char c = text[i];
        if (in_string) {
            if (c == '\\')
                i++;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            extent.values++;
            extent.depth++;
        } else if (c == ',') {
            extent.values++;
        } else if ((c == '}' || c == ']') && extent.depth > 0) {
            extent.depth--;
        }
    }
    extent.offset = i < size ? i : size;
    return extent;
}

static bool extent_check(const struct extent *extent, size_t values, struct error *error)
{
    if (extent->depth > JSON_DEPTH)
        return error_set(error, ERROR_DATA, "JSON nested deeper than %d levels", JSON_DEPTH);
    if (extent->values > values)
        return error_set(error, ERROR_DATA, "JSON with more than %zu values", values);
    return true;
}

static size_t line_of(const char *text, size_t offset)
{
    size_t line = 1;
    for (size_t i = 0; i < offset; i++)
        if (text[i] == '\n')
            line++;
    return line;
}

json_t *json_parse(const char *text, size_t size, size_t max, const char *name, struct error *error)
{
    size_t offset;
    return json_parse_offset(text, size, max, name, &offset, error);
}

json_t *json_parse_offset(const char *text, size_t size, size_t max, const char *name,
                          size_t *ret_offset, struct error *error)
{
    *ret_offset = 0;
    if (size > max) {
        error_set(error, ERROR_DATA, "JSON of %zu bytes is larger than the limit of %zu", size,
                  max);
        error_where(error, "%s", name);
        return NULL;
    }
    struct extent extent = extent_of(text, size, values_max(max));
    if (!extent_check(&extent, values_max(max), error)) {
        *ret_offset = extent.offset;
        error_where(error, "%s:%zu", name, line_of(text, extent.offset));
        return NULL;
    }
    json_error_t problem;
    json_t *value = json_loadb(text, size, JSON_REJECT_DUPLICATES, &problem);
    if (value == NULL) {
        *ret_offset = problem.position > 0 ? (size_t)problem.position : 0;
        error_set(error, ERROR_DATA, "not valid JSON");
        error_where(error, "%s:%d:%d", name, problem.line, problem.column);
        error_why(error, "%s", problem.text);
    }
    return value;
}

json_t *json_from_string(const char *string)
{
    if (string == NULL)
        return json_null();
    size_t size = strlen(string);
    if (utf8_valid(string, size))
        return json_stringn_nocheck(string, size);
    AUTO_FREE char *safe = string_safe(string);
    return json_string_nocheck(safe);
}

json_t *json_from_version(const struct version *version)
{
    char text[VERSION_TEXT_SIZE];
    return version->count ? json_string(version_text(version, 0, text)) : json_null();
}

json_t *json_from_list(const struct strlist *list)
{
    json_t *array = json_array();
    for (size_t i = 0; list && i < list->count; i++)
        json_array_append_new(array, json_from_string(list->items[i]));
    return array;
}

void json_set_string(json_t *object, const char *key, const char *string)
{
    if (string)
        json_object_set_new(object, key, json_from_string(string));
}

void json_set_list(json_t *object, const char *key, const struct strlist *list)
{
    json_object_set_new(object, key, json_from_list(list));
}

/* JSON_ENSURE_ASCII leaves DEL as it is. Outside a string JSON has none, so it can be replaced. */
static int append_chunk(const char *buffer, size_t size, void *data)
{
    const char *end = buffer + size;
    for (const char *del; (del = memchr(buffer, 0x7f, (size_t)(end - buffer))) != NULL;) {
        text_append_n(data, buffer, (size_t)(del - buffer));
        text_append(data, "\\u007f");
        buffer = del + 1;
    }
    text_append_n(data, buffer, (size_t)(end - buffer));
    return 0;
}

void json_append_text(const json_t *value, struct text *text)
{
    json_dump_callback(value, append_chunk, text,
                       JSON_INDENT(2) | JSON_ENCODE_ANY | JSON_ENSURE_ASCII |
                           JSON_REAL_PRECISION(15));
    text_append_char(text, '\n');
}
