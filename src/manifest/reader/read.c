/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/reader/subject.h"

/* A document must not grow without bound when it is read. */
#define ROWS_MAX     10000
#define CITATION_MAX 400

static bool is_ignored(const char *name)
{
    return string_starts(name, "x_");
}

static void add_names(struct strlist *names, const struct manifest_key *keys)
{
    for (; keys != NULL && keys->name != NULL; keys++)
        strlist_add(names, keys->name);
}

/* Every key of object that keys knows into row. ret_known: how many there were. */
static bool read_keys(const struct manifest_place *place, const struct manifest_key *keys,
                      const json_t *object, const json_t *sources, struct strlist *texts, void *row,
                      size_t *ret_known)
{
    bool sound = true;
    *ret_known = 0;
    for (const struct manifest_key *key = keys; key->name != NULL; key++) {
        const json_t *value = json_object_get(object, key->name);
        if (value == NULL && !key->required)
            continue;
        if (value != NULL)
            ++*ret_known;
        if (!value_read(place, key, value, sources, texts, (char *)row + key->offset))
            sound = false;
        if (document_is_full(place->document))
            break;
    }
    return sound;
}

static bool keys_known(const struct manifest_place *place, const struct strlist *known,
                       json_t *object)
{
    bool sound = true;
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        if (!is_ignored(name) && !strlist_has(known, name))
            sound = place_unknown(place, name, "key", known);
    }
    return sound;
}

static bool row_keys_known(const struct manifest_place *place, const struct manifest_key *keys,
                           json_t *object)
{
    AUTO_STRLIST struct strlist known = {0};
    add_names(&known, keys);
    return keys_known(place, &known, object);
}

/* A row that is not sound has no id, and is left out of what follows. */
static bool read_row(const struct manifest_place *place, const struct manifest_table *table,
                     json_t *object, const json_t *sources, struct strlist *texts, void *row)
{
    if (!json_is_object(object))
        return place_problem_value(place, NULL, object, "an object");
    size_t known;
    bool sound = read_keys(place, table->keys, object, sources, texts, row, &known);
    if (known != json_object_size(object) && !row_keys_known(place, table->keys, object))
        sound = false;
    if (!sound)
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

static const char *row_id(const struct manifest_table *table, const void *items, size_t index)
{
    const char *id;
    memcpy(&id, (const char *)row_at(table, items, index) + table->id_offset, sizeof(id));
    return id;
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

/* For each row the number, from 1 on, of the row before it that has the same id; 0: none has. */
static size_t *rows_twins(const struct manifest_table *table, const void *items, size_t count)
{
    AUTO_FREE struct row_name *names = mem_resize(NULL, count, sizeof(*names));
    size_t *twins = mem_alloc(count * sizeof(*twins));
    size_t named = 0;
    for (size_t i = 0; i < count; i++) {
        const char *id = row_id(table, items, i);
        if (id != NULL)
            names[named++] = (struct row_name){id, i};
    }
    qsort(names, named, sizeof(*names), compare_names);
    for (size_t i = 1; i < named; i++)
        if (strcmp(names[i - 1].id, names[i].id) == 0)
            twins[names[i].row] = names[i - 1].row + 1;
    return twins;
}

static bool rows_differ(struct manifest_place *place, const struct manifest_table *table,
                        const void *items, size_t count)
{
    bool sound = true;
    AUTO_FREE size_t *twins = rows_twins(table, items, count);
    for (size_t i = 0; i < count; i++) {
        if (twins[i] == 0)
            continue;
        place->row = i;
        AUTO_FREE char *found = mem_printf("%s, which %s[%zu] already has", row_id(table, items, i),
                                           table->name, twins[i] - 1);
        sound = place_problem(place, table->keys[0].name, found, "a unique row");
    }
    return sound;
}

static bool rows_check(struct manifest_place *place, const struct manifest_table *table,
                       const void *items, size_t count)
{
    bool sound = true;
    const void *previous = NULL;
    for (size_t i = 0; i < count && !document_is_full(place->document); i++) {
        const void *row = row_at(table, items, i);
        place->row = i;
        if (row_id(table, items, i) == NULL)
            continue;
        if (!table->check(place, row, previous))
            sound = false;
        previous = row;
    }
    return sound;
}

/* The rows in *items belong to the caller even after a failure; *count tells how many are begun. */
static bool read_table(struct manifest_place *place, const struct manifest_table *table,
                       const json_t *array, const json_t *sources, struct strlist *texts,
                       void **items, size_t *count)
{
    size_t size = json_array_size(array);
    if (array == NULL && table->later)
        return true;
    if (size == 0 || size > ROWS_MAX)
        return place_problem_value(place, table->name, array, "a list of 1 to 10000 rows");
    *items = mem_resize(NULL, size, table->row_size);
    memset(*items, 0, size * table->row_size);
    place->table = table->name;
    bool sound = true;
    for (size_t i = 0; i < size && !document_is_full(place->document); i++) {
        place->row = i;
        *count = i + 1;
        void *row = (char *)*items + i * table->row_size;
        if (!read_row(place, table, json_array_get(array, i), sources, texts, row))
            sound = false;
    }
    if (!rows_differ(place, table, *items, *count) || !rows_check(place, table, *items, *count))
        sound = false;
    place->table = NULL;
    return sound;
}

static bool read_schema(const struct manifest_place *place, const json_t *json)
{
    const json_t *schema = json_object_get(json, "schema");
    if (json_is_integer(schema) && json_integer_value(schema) == MANIFEST_SCHEMA)
        return true;
    AUTO_FREE char *expected = mem_printf("schema %d", MANIFEST_SCHEMA);
    place_problem_value(place, "schema", schema, expected);
    if (json_integer_value(schema) > MANIFEST_SCHEMA)
        place_next(place, "this gpuenv is too old to read this manifest: update gpuenv");
    return false;
}

static bool subject_keys_known(const struct manifest_place *place,
                               const struct manifest_subject *subject, json_t *json)
{
    AUTO_STRLIST struct strlist known = {0};
    strlist_add(&known, "schema");
    if (subject->tables[0].name != NULL)
        strlist_add(&known, "sources");
    add_names(&known, subject->fields);
    for (size_t i = 0; i < MANIFEST_TABLES && subject->tables[i].name != NULL; i++)
        strlist_add(&known, subject->tables[i].name);
    return keys_known(place, &known, json);
}

static bool sources_valid(struct manifest_place *place, json_t *sources)
{
    bool sound = true;
    const char *name;
    json_t *value;
    place->table = "sources";
    place->row = PLACE_NO_ROW;
    json_object_foreach(sources, name, value)
    {
        size_t size = json_string_length(value);
        if (size == 0 || size > CITATION_MAX)
            sound = place_problem_value(place, name, value, "a citation of 1 to 400 bytes");
    }
    place->table = NULL;
    return sound;
}

bool subject_read_table(struct manifest_place *place, const struct manifest_subject *subject,
                        unsigned table, const json_t *json, struct manifest_store *store)
{
    const struct manifest_table *of = &subject->tables[table];
    return read_table(place, of, json_object_get(json, of->name), json_object_get(json, "sources"),
                      &store->texts, &store->tables[table].items, &store->tables[table].count);
}

static bool read_tables(struct manifest_place *place, const struct manifest_subject *subject,
                        const json_t *json, struct manifest_store *store)
{
    json_t *sources = json_object_get(json, "sources");
    if (!json_is_object(sources))
        return place_problem_value(place, "sources", sources, "an object");
    bool sound = sources_valid(place, sources);
    for (unsigned i = 0; i < MANIFEST_TABLES && subject->tables[i].name != NULL; i++)
        if (!subject_read_table(place, subject, i, json, store))
            sound = false;
    return sound;
}

bool subject_read_fields(const struct manifest_place *place, const struct manifest_subject *subject,
                         const json_t *json, struct manifest_store *store)
{
    size_t known;
    store->fields = mem_alloc(subject->fields_size);
    return read_keys(place, subject->fields, json, NULL, &store->texts, store->fields, &known);
}

bool subject_read(const struct manifest_subject *subject, json_t *json,
                  struct manifest_document *document, struct manifest_store *store)
{
    struct manifest_place place = {.document = document, .subject = subject->name};
    if (!json_is_object(json))
        return place_problem_value(&place, NULL, json, "an object");
    store->json = json_incref(json);
    if (!read_schema(&place, json))
        return false;
    bool sound = subject_keys_known(&place, subject, json);
    if (subject->fields != NULL && !subject_read_fields(&place, subject, json, store))
        sound = false;
    if (subject->tables[0].name != NULL && !read_tables(&place, subject, json, store))
        sound = false;
    return sound;
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
