/* SPDX-License-Identifier: MIT */
#include "facts/record.h"

#include <string.h>

#include "base/hex.h"

/* NULL when hex is not pairs of lower-case hex digits, or holds a NUL byte. */
static char *bytes_from_hex(const char *hex)
{
    size_t length = strlen(hex);
    if (length % 2 != 0 || !hex_is(hex, length))
        return NULL;
    AUTO_FREE char *bytes = mem_alloc(length / 2 + 1);
    for (size_t i = 0; i < length / 2; i++) {
        int byte = hex_byte(hex + 2 * i);
        if (byte <= 0)
            return NULL;
        bytes[i] = (char)byte;
    }
    return mem_steal(&bytes);
}

static json_t *hex_or_null(const char *string)
{
    if (utf8_valid(string, strlen(string)))
        return json_null();
    AUTO_FREE char *hex = hex_string(string, strlen(string));
    return json_string(hex);
}

static void list_to_json(const struct strlist *list, json_t *object)
{
    json_t *bytes = json_array();
    bool any_bytes = false;
    for (size_t i = 0; i < list->count; i++) {
        json_t *hex = hex_or_null(list->items[i]);
        any_bytes = any_bytes || !json_is_null(hex);
        json_array_append_new(bytes, hex);
    }
    json_set_list(object, "value", list);
    if (any_bytes)
        json_object_set(object, "bytes", bytes);
    json_decref(bytes);
}

static void value_to_json(const struct fact *fact, json_t *object)
{
    switch (fact->type) {
    case FACT_STRING: {
        json_object_set_new(object, "value", json_from_string(fact->string));
        json_t *hex = hex_or_null(fact->string);
        if (!json_is_null(hex))
            json_object_set(object, "bytes", hex);
        json_decref(hex);
        break;
    }
    case FACT_INTEGER:
        json_object_set_new(object, "value", json_integer(fact->integer));
        break;
    case FACT_BOOLEAN:
        json_object_set_new(object, "value", json_boolean(fact->boolean));
        break;
    case FACT_LIST:
        list_to_json(&fact->list, object);
        break;
    }
}

json_t *record_fact_to_json(const struct fact *fact)
{
    json_t *object = json_object();
    switch (fact->state) {
    case FACT_VALUE:
        value_to_json(fact, object);
        break;
    case FACT_ABSENT:
        json_object_set_new(object, "absent", json_true());
        break;
    case FACT_UNKNOWN:
        json_object_set_new(object, "unknown", json_from_string(fact->reason));
        break;
    case FACT_SKIPPED:
        json_object_set_new(object, "skipped", json_from_string(fact->reason));
        break;
    }
    json_object_set_new(object, "source", json_from_string(fact->source));
    return object;
}

json_t *record_to_json(const struct facts *facts)
{
    json_t *record = json_object();
    for (size_t i = 0; i < facts_group_count(facts); i++) {
        const char *name = facts_group_at(facts, i);
        json_t *group = json_object();
        for (size_t k = 0; k < facts_count(facts, name); k++) {
            const struct fact *fact = facts_at(facts, name, k);
            AUTO_FREE char *key = string_safe(fact->name);
            json_object_set_new(group, key, record_fact_to_json(fact));
        }
        json_object_set_new(record, name, group);
    }
    return record;
}

/* The string of a value, its bytes where they are given. NULL when the form is wrong. */
static char *string_from_json(const json_t *value, const json_t *bytes)
{
    if (!json_is_string(value))
        return NULL;
    if (bytes == NULL || json_is_null(bytes))
        return mem_string(json_string_value(value));
    return json_is_string(bytes) ? bytes_from_hex(json_string_value(bytes)) : NULL;
}

static bool list_from_json(const json_t *value, const json_t *bytes, struct strlist *list)
{
    if (bytes && json_array_size(bytes) != json_array_size(value))
        return false;
    for (size_t i = 0; i < json_array_size(value); i++) {
        char *string = string_from_json(json_array_get(value, i), json_array_get(bytes, i));
        if (string == NULL)
            return false;
        strlist_take(list, string);
    }
    return true;
}

static bool value_from_json(struct facts *facts, const char *group, const char *name,
                            const json_t *object, const char *source)
{
    const json_t *value = json_object_get(object, "value");
    const json_t *bytes = json_object_get(object, "bytes");
    if (json_is_integer(value)) {
        facts_set_integer(facts, group, name, json_integer_value(value), source);
        return true;
    }
    if (json_is_boolean(value)) {
        facts_set_boolean(facts, group, name, json_is_true(value), source);
        return true;
    }
    if (json_is_array(value)) {
        AUTO_STRLIST struct strlist list = {0};
        if (!list_from_json(value, bytes, &list))
            return false;
        facts_set_list(facts, group, name, &list, source);
        return true;
    }
    AUTO_FREE char *string = string_from_json(value, bytes);
    if (string == NULL)
        return false;
    facts_set_string(facts, group, name, string, source);
    return true;
}

bool record_fact_from_json(struct facts *facts, const char *group, const char *name,
                           const json_t *object)
{
    const char *source = json_string_value(json_object_get(object, "source"));
    if (source == NULL)
        return false;
    if (json_object_get(object, "value"))
        return value_from_json(facts, group, name, object, source);
    if (json_is_true(json_object_get(object, "absent"))) {
        facts_set_absent(facts, group, name, source);
        return true;
    }
    const char *unknown = json_string_value(json_object_get(object, "unknown"));
    const char *skipped = json_string_value(json_object_get(object, "skipped"));
    if (unknown)
        facts_set_unknown(facts, group, name, unknown, source);
    else if (skipped)
        facts_set_skipped(facts, group, name, skipped, source);
    return unknown || skipped;
}

static bool group_from_json(struct facts *facts, const char *group, json_t *object,
                            const char *file, struct error *error)
{
    if (!json_is_object(object)) {
        error_set(error, ERROR_DATA, "the group is not an object of facts");
        return error_where(error, "%s: facts.%s", file, group);
    }
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        if (record_fact_from_json(facts, group, name, value))
            continue;
        error_set(error, ERROR_DATA, "not a fact");
        error_where(error, "%s: facts.%s.%s", file, group, name);
        error_why(error, "expected \"source\" and one of \"value\", \"absent\": true, "
                         "\"unknown\", \"skipped\"");
        error_next(error, "create the record again:");
        return error_command(error, "gpuenv facts --json -o FILE");
    }
    return true;
}

static struct facts *from_json(const json_t *object, const char *name, struct error *error)
{
    if (!json_is_object(object)) {
        error_set(error, ERROR_DATA, "not a record of facts: it has no object \"facts\"");
        error_where(error, "%s", name);
        error_next(error, "create one with:");
        error_command(error, "gpuenv facts --json -o FILE");
        return NULL;
    }
    struct facts *facts = facts_new();
    const char *group;
    json_t *value;
    /* jansson's walk wants a pointer without const; nothing is changed. */
    json_object_foreach((json_t *)(uintptr_t)object, group, value)
    {
        if (!group_from_json(facts, group, value, name, error)) {
            facts_free(facts);
            return NULL;
        }
    }
    return facts;
}

struct facts *record_load(const char *text, size_t size, const char *name, struct error *error)
{
    AUTO_JSON json_t *document = json_parse(text, size, RECORD_MAX, name, error);
    if (document == NULL)
        return NULL;
    const json_t *record = json_object_get(document, "facts");
    const json_t *schema = json_object_get(document, "schema_version");
    bool envelope = json_object_get(document, "tool") || schema;
    if (record && json_integer_value(schema) > RECORD_SCHEMA) {
        error_set(error, ERROR_DATA, "this gpuenv is too old to read this record");
        error_where(error, "%s", name);
        error_why(error, "it has schema_version %" JSON_INTEGER_FORMAT ", but gpuenv reads %d",
                  json_integer_value(schema), RECORD_SCHEMA);
        error_next(error, "update gpuenv, or create the record with this version:");
        error_command(error, "gpuenv facts --json -o FILE");
        return NULL;
    }
    return from_json(record || envelope ? record : document, name, error);
}
