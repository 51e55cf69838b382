/* SPDX-License-Identifier: MIT */
#include "manifest/subject.h"

#define FOUND_MAX 80

static void append_path(struct text *text, const struct manifest_place *place, const char *key)
{
    text_append(text, place->subject);
    if (place->table != NULL)
        text_printf(text, ".%s[%zu]", place->table, place->row);
    if (key != NULL)
        text_printf(text, ".%.*s", FOUND_MAX, key);
}

bool place_problem(const struct manifest_place *place, const char *key, const char *found,
                   const char *format, ...)
{
    AUTO_TEXT struct text path = {0};
    AUTO_TEXT struct text expected = {0};
    append_path(&path, place, key);
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&expected, format, arguments);
    va_end(arguments);
    error_set(place->error, ERROR_DATA, "the manifest is not valid");
    error_where(place->error, "%s: %s", place->document, text_string(&path));
    return error_why(place->error, "expected %s, found %s", text_string(&expected), found);
}

bool place_problem_version(const struct manifest_place *place, const char *key,
                           const struct version *found, const char *format, ...)
{
    AUTO_TEXT struct text expected = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&expected, format, arguments);
    va_end(arguments);
    char version[VERSION_TEXT_SIZE];
    version_text(found, 0, version);
    return place_problem(place, key, found->count > 0 ? version : "nothing", "%s",
                         text_string(&expected));
}

/* Stops jansson once there is enough to show. */
static int take_bytes(const char *bytes, size_t size, void *data)
{
    text_append_n(data, bytes, size);
    return ((struct text *)data)->size > FOUND_MAX ? -1 : 0;
}

bool place_problem_value(const struct manifest_place *place, const char *key, const json_t *found,
                         const char *expected)
{
    if (found == NULL)
        return place_problem(place, key, "nothing", "%s", expected);
    AUTO_TEXT struct text shown = {0};
    json_dump_callback(found, take_bytes, &shown,
                       JSON_COMPACT | JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    if (shown.size <= FOUND_MAX)
        return place_problem(place, key, text_string(&shown), "%s", expected);
    AUTO_FREE char *start = mem_string_n(text_string(&shown), FOUND_MAX);
    AUTO_FREE char *cut = mem_printf("%s...", start);
    return place_problem(place, key, cut, "%s", expected);
}
