/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/subject.h"

/* A document must not grow without bound when it is read. */
#define ROWS_MAX     10000
#define CITATION_MAX 400

static bool is_ignored(const char *name)
{
    return string_starts(name, "x_");
}

static const struct manifest_key *key_find(const struct manifest_key *keys, const char *name)
{
    for (; keys != NULL && keys->name != NULL; keys++)
        if (string_equal(keys->name, name))
            return keys;
    return NULL;
}

static bool unknown_key(const struct manifest_place *place, const char *name, const json_t *value)
{
    return place_problem_value(place, name, value, "no such key");
}

/* Every key of object that keys knows into row. ret_read: how many there were. */
static bool read_keys(const struct manifest_place *place, const struct manifest_key *keys,
                      const json_t *object, const json_t *sources, struct strlist *texts, void *row,
                      size_t *ret_read)
{
    size_t read = 0;
    for (const struct manifest_key *key = keys; key->name != NULL; key++) {
        const json_t *value = json_object_get(object, key->name);
        if (value == NULL && !key->required)
            continue;
        if (!value_read(place, key, value, sources, texts, (char *)row + key->offset))
            return false;
        read++;
    }
    *ret_read = read;
    return true;
}

static bool row_keys_known(const struct manifest_place *place, const struct manifest_key *keys,
                           json_t *object)
{
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        if (!is_ignored(name) && key_find(keys, name) == NULL)
            return unknown_key(place, name, value);
    }
    return true;
}

static bool read_row(const struct manifest_place *place, const struct manifest_table *table,
                     json_t *object, const json_t *sources, struct strlist *texts, void *row)
{
    if (!json_is_object(object))
        return place_problem_value(place, NULL, object, "an object");
    size_t read;
    if (!read_keys(place, table->keys, object, sources, texts, row, &read))
        return false;
    if (read != json_object_size(object) && !row_keys_known(place, table->keys, object))
        return false;
    char *id = table->id(row);
    strlist_take(texts, id);
    memcpy((char *)row + table->id_offset, &id, sizeof(id));
    return true;
}

static const void *row_at(const struct manifest_table *table, const void *items, size_t index)
{
    return (const char *)items + index * table->row_size;
}

struct row_name {
    const char *id;
    size_t row;
};

static int compare_names(const void *a, const void *b)
{
    const struct row_name *left = a;
    const struct row_name *right = b;
    int order = strcmp(left->id, right->id);
    if (order != 0)
        return order;
    return left->row < right->row ? -1 : left->row > right->row;
}

static bool rows_differ(struct manifest_place *place, const struct manifest_table *table,
                        const void *items, size_t count)
{
    AUTO_FREE struct row_name *names = mem_resize(NULL, count, sizeof(*names));
    for (size_t i = 0; i < count; i++) {
        names[i].row = i;
        memcpy(&names[i].id, (const char *)row_at(table, items, i) + table->id_offset,
               sizeof(names[i].id));
    }
    qsort(names, count, sizeof(*names), compare_names);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(names[i - 1].id, names[i].id) != 0)
            continue;
        place->row = names[i].row;
        AUTO_FREE char *found =
            mem_printf("%s, which %s[%zu] has already", names[i].id, table->name, names[i - 1].row);
        return place_problem(place, table->keys[0].name, found, "a row of its own");
    }
    return true;
}

/* The rows in *items belong to the caller even after a failure; *count tells how many are begun. */
static bool read_table(struct manifest_place *place, const struct manifest_table *table,
                       const json_t *array, const json_t *sources, struct strlist *texts,
                       void **items, size_t *count)
{
    size_t size = json_array_size(array);
    if (size == 0 || size > ROWS_MAX)
        return place_problem_value(place, table->name, array, "a list of 1 to 10000 rows");
    *items = mem_resize(NULL, size, table->row_size);
    memset(*items, 0, size * table->row_size);
    place->table = table->name;
    for (size_t i = 0; i < size; i++) {
        place->row = i;
        *count = i + 1;
        void *row = (char *)*items + i * table->row_size;
        if (!read_row(place, table, json_array_get(array, i), sources, texts, row))
            return false;
    }
    if (!rows_differ(place, table, *items, size))
        return false;
    for (size_t i = 0; i < size; i++) {
        place->row = i;
        if (!table->check(place, row_at(table, *items, i),
                          i > 0 ? row_at(table, *items, i - 1) : NULL))
            return false;
    }
    place->table = NULL;
    return true;
}

static bool read_schema(const struct manifest_place *place, const json_t *json)
{
    const json_t *schema = json_object_get(json, "schema");
    if (json_is_integer(schema) && json_integer_value(schema) == MANIFEST_SCHEMA)
        return true;
    AUTO_FREE char *expected = mem_printf("schema %d", MANIFEST_SCHEMA);
    place_problem_value(place, "schema", schema, expected);
    if (json_integer_value(schema) > MANIFEST_SCHEMA)
        error_next(place->error, "this manifest is newer than this gpuenv can read: update gpuenv");
    return false;
}

static const struct manifest_table *table_find(const struct manifest_subject *subject,
                                               const char *name)
{
    for (size_t i = 0; i < MANIFEST_TABLES; i++)
        if (string_equal(subject->tables[i].name, name))
            return &subject->tables[i];
    return NULL;
}

static bool subject_keys_known(const struct manifest_place *place,
                               const struct manifest_subject *subject, json_t *json)
{
    bool has_sources = subject->tables[0].name != NULL;
    const char *name;
    json_t *value;
    json_object_foreach(json, name, value)
    {
        if (is_ignored(name) || string_equal(name, "schema"))
            continue;
        if (has_sources && string_equal(name, "sources"))
            continue;
        if (key_find(subject->fields, name) == NULL && table_find(subject, name) == NULL)
            return unknown_key(place, name, value);
    }
    return true;
}

static bool sources_valid(const struct manifest_place *place, json_t *sources)
{
    if (!json_is_object(sources))
        return place_problem_value(place, "sources", sources, "an object");
    const char *name;
    json_t *value;
    json_object_foreach(sources, name, value)
    {
        AUTO_FREE char *key = mem_printf("sources.%s", name);
        size_t size = json_string_length(value);
        if (size == 0 || size > CITATION_MAX)
            return place_problem_value(place, key, value, "a citation of 1 to 400 bytes");
    }
    return true;
}

bool subject_read(const struct manifest_subject *subject, json_t *json, const char *document,
                  struct manifest_store *store, struct error *error)
{
    struct manifest_place place = {.document = document, .subject = subject->name, .error = error};
    if (!json_is_object(json))
        return place_problem_value(&place, NULL, json, "an object");
    store->json = json_incref(json);
    if (!read_schema(&place, json) || !subject_keys_known(&place, subject, json))
        return false;
    if (subject->fields != NULL) {
        store->fields = mem_alloc(subject->fields_size);
        size_t read;
        if (!read_keys(&place, subject->fields, json, NULL, &store->texts, store->fields, &read))
            return false;
    }
    json_t *sources = json_object_get(json, "sources");
    if (subject->tables[0].name != NULL && !sources_valid(&place, sources))
        return false;
    for (size_t i = 0; i < MANIFEST_TABLES && subject->tables[i].name != NULL; i++)
        if (!read_table(&place, &subject->tables[i], json_object_get(json, subject->tables[i].name),
                        sources, &store->texts, &store->tables[i].items, &store->tables[i].count))
            return false;
    return true;
}

static void row_free(const struct manifest_table *table, void *row)
{
    for (const struct manifest_key *key = table->keys; key->name != NULL; key++)
        if (key->type == KEY_STRINGS)
            strlist_free((struct strlist *)(void *)((char *)row + key->offset));
}

void subject_free(const struct manifest_subject *subject, struct manifest_store *store)
{
    for (size_t i = 0; i < MANIFEST_TABLES; i++) {
        const struct manifest_table *table = &subject->tables[i];
        for (size_t row = 0; row < store->tables[i].count; row++)
            row_free(table, (char *)store->tables[i].items + row * table->row_size);
        free(store->tables[i].items);
    }
    free(store->fields);
    strlist_free(&store->texts);
    json_decref(store->json);
    *store = (struct manifest_store){.json = NULL};
}
