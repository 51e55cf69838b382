/* SPDX-License-Identifier: MIT */
#include "base/fields.h"

#include <limits.h>
#include <string.h>

#include "base/strlist.h"
#include "base/version.h"

#define KEY_SHOWN 80 /* bytes of a key that a document may choose */

static bool read_string(const struct field *field, const json_t *value, void *to)
{
    const char *string = json_string_value(value);
    (void)field;
    if (string == NULL || *string == '\0')
        return false;
    *(char **)to = mem_string(string);
    return true;
}

static bool read_strings(const struct field *field, const json_t *value, void *to)
{
    (void)field;
    if (!json_is_array(value))
        return false;
    for (size_t i = 0; i < json_array_size(value); i++) {
        const char *string = json_string_value(json_array_get(value, i));
        if (string == NULL)
            return false;
        strlist_add(to, string);
    }
    return true;
}

static bool read_size(const struct field *field, const json_t *value, void *to)
{
    (void)field;
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *(uint64_t *)to = (uint64_t)json_integer_value(value);
    return true;
}

static bool read_number(const struct field *field, const json_t *value, void *to)
{
    (void)field;
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        json_integer_value(value) > UINT_MAX)
        return false;
    *(unsigned *)to = (unsigned)json_integer_value(value);
    return true;
}

static bool read_time(const struct field *field, const json_t *value, void *to)
{
    (void)field;
    *(int64_t *)to = json_integer_value(value);
    return json_is_integer(value);
}

static bool read_boolean(const struct field *field, const json_t *value, void *to)
{
    (void)field;
    *(bool *)to = json_is_true(value);
    return json_is_boolean(value);
}

static bool read_version(const struct field *field, const json_t *value, void *to)
{
    const char *string = json_string_value(value);
    (void)field;
    return string && version_parse(string, to);
}

static bool read_choice(const struct field *field, const json_t *value, void *to)
{
    for (int i = 0; field->choices[i]; i++) {
        if (!string_equal(field->choices[i], json_string_value(value)))
            continue;
        *(int *)to = i;
        return true;
    }
    return false;
}

static bool read_one_of(const struct field *field, const json_t *value, void *to)
{
    int index;
    if (!read_choice(field, value, &index))
        return false;
    *(char **)to = mem_string(field->choices[index]);
    return true;
}

static bool read_list(const struct field *field, const json_t *value, void *to)
{
    (void)field;
    (void)to;
    return json_is_array(value);
}

static bool read_below(const struct field *field, const json_t *value, void *to)
{
    (void)field;
    (void)value;
    (void)to;
    return true;
}

const struct field_type field_string = {read_string, "a non-empty string"};
const struct field_type field_strings = {read_strings, "a list of strings"};
const struct field_type field_size = {read_size, "a whole number, 0 or greater"};
const struct field_type field_number = {read_number, "a whole number, 0 or greater"};
const struct field_type field_time = {read_time, "a whole number"};
const struct field_type field_boolean = {read_boolean, "true or false"};
const struct field_type field_version = {read_version, "a version such as \"12.8.1\""};
const struct field_type field_choice = {read_choice, "one of"};
const struct field_type field_one_of = {read_one_of, "one of"};
const struct field_type field_list = {read_list, "a list"};
const struct field_type field_below = {read_below, "a value"};

bool fields_refuse(const struct fields_document *document, const char *place, const char *key,
                   const char *expected, struct error *error)
{
    AUTO_FREE char *start = mem_string_n(key, strnlen(key, KEY_SHOWN));
    AUTO_FREE char *safe = string_safe(start);
    error_set(error, ERROR_DATA, "%s", document->what);
    error_where(error, "%s: %s%s%s", document->name, place, *place && *key ? "." : "", safe);
    error_why(error, "expected %s", expected);
    return document->next && error_next(error, "%s", document->next);
}

static const struct field *field_find(const struct field *fields, const char *name)
{
    for (; fields->name; fields++)
        if (string_equal(fields->name, name))
            return fields;
    return NULL;
}

static bool refuse_value(const struct field *field, const struct fields_document *document,
                         const char *place, struct error *error)
{
    AUTO_STRLIST struct strlist words = {0};
    for (size_t i = 0; field->choices && field->choices[i]; i++)
        strlist_add(&words, field->choices[i]);
    AUTO_FREE char *listed = strlist_join(&words, ", ");
    AUTO_FREE char *expected = mem_printf("%s %s", field->type->expected, listed);
    return fields_refuse(document, place, field->name,
                         words.count ? expected : field->type->expected, error);
}

bool fields_read(const struct field *fields, const json_t *object,
                 const struct fields_document *document, const char *place, void *row,
                 struct error *error)
{
    const char *key;
    json_t *value;
    if (!json_is_object(object))
        return fields_refuse(document, place, "", "an object", error);
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        if (field_find(fields, key) == NULL)
            return fields_refuse(document, place, key, "no such key", error);
    }
    for (const struct field *field = fields; field->name; field++) {
        const json_t *found = json_object_get(object, field->name);
        if (found == NULL && !field->required)
            continue;
        if (found == NULL || !field->type->read(field, found, (char *)row + field->offset))
            return refuse_value(field, document, place, error);
    }
    return true;
}
