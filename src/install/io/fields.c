/* SPDX-License-Identifier: MIT */
#include "install/io/fields.h"

#include <limits.h>
#include <string.h>

#include "base/strlist.h"
#include "base/version.h"

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

/* Four octal digits, no special bit. */
static bool read_mode(const struct field *field, const json_t *value, void *to)
{
    const char *string = json_string_value(value);
    (void)field;
    if (string == NULL || strlen(string) != 4 || string[0] != '0' ||
        strspn(string, "01234567") != 4)
        return false;
    *(unsigned *)to = (unsigned)((string[1] - '0') * 64 + (string[2] - '0') * 8 + string[3] - '0');
    return true;
}

static bool read_digest(const struct field *field, const json_t *value, void *to)
{
    (void)field;
    return digest_parse(json_string_value(value), to);
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

static bool read_list(const struct field *field, const json_t *value, void *to)
{
    (void)field;
    (void)to;
    return json_is_array(value);
}

static const struct {
    bool (*read)(const struct field *field, const json_t *value, void *to);
    const char *expected;
} types[] = {
    [FIELD_STRING] = {read_string, "a string that is not empty"},
    [FIELD_STRINGS] = {read_strings, "a list of strings"},
    [FIELD_SIZE] = {read_size, "a whole number from 0 on"},
    [FIELD_NUMBER] = {read_number, "a whole number from 0 on"},
    [FIELD_TIME] = {read_time, "a whole number"},
    [FIELD_BOOLEAN] = {read_boolean, "true or false"},
    [FIELD_MODE] = {read_mode, "a mode such as \"0644\""},
    [FIELD_DIGEST] = {read_digest, "64 hexadecimal digits"},
    [FIELD_VERSION] = {read_version, "a version such as \"12.8.1\""},
    [FIELD_CHOICE] = {read_choice, "another word"},
    [FIELD_LIST] = {read_list, "a list"},
};

static bool refuse(struct error *error, const char *document, const char *place, const char *key,
                   const char *expected)
{
    error_set(error, ERROR_DATA, "the document is not valid");
    error_where(error, "%s: %s%s%s", document, place, *place && *key ? "." : "", key);
    return error_why(error, "expected %s", expected);
}

static const struct field *field_find(const struct field *fields, const char *name)
{
    for (; fields->name; fields++)
        if (string_equal(fields->name, name))
            return fields;
    return NULL;
}

bool fields_read(const struct field *fields, const json_t *object, const char *document,
                 const char *place, void *row, struct error *error)
{
    const char *key;
    json_t *value;
    if (!json_is_object(object))
        return refuse(error, document, place, "", "an object");
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        if (field_find(fields, key) == NULL)
            return refuse(error, document, place, key, "no such key");
    }
    for (const struct field *field = fields; field->name; field++) {
        const json_t *found = json_object_get(object, field->name);
        if (found == NULL && !field->required)
            continue;
        if (found == NULL || !types[field->type].read(field, found, (char *)row + field->offset))
            return refuse(error, document, place, field->name, types[field->type].expected);
    }
    return true;
}
