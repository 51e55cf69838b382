/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_MANIFEST_JOINED_H
#define TESTS_UNIT_MANIFEST_JOINED_H

#include "test.h"

#include "base/json.h"
#include "manifest/manifest.h"

/* The joined document as the build makes it: what is in it, and that it is refused once one thing
 * in it is changed. */

static json_t *joined_read(void)
{
    FILE *file = fopen(TEST_BINARY_DIR "/gpuenv.manifest.json", "r");
    assert_non_null(file);
    AUTO_FREE char *text = malloc(MANIFEST_MAX);
    assert_non_null(text);
    size_t size = fread(text, 1, MANIFEST_MAX, file);
    assert_int_equal(fclose(file), 0);
    json_t *json = json_parse(text, size, MANIFEST_MAX, "joined", NULL);
    assert_non_null(json);
    return json;
}

static size_t joined_count(const json_t *json, const char *subject, const char *table)
{
    return json_array_size(json_object_get(json_object_get(json, subject), table));
}

/* The row of subject.table in which key is value. */
static json_t *joined_row(const json_t *json, const char *subject, const char *table,
                          const char *key, const char *value)
{
    const json_t *rows = json_object_get(json_object_get(json, subject), table);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        const char *found = json_string_value(json_object_get(row, key));
        if (found != NULL && strcmp(found, value) == 0)
            return row;
    }
    print_message("%s.%s: no row with %s %s\n", subject, table, key, value);
    return NULL;
}

/* A change that must be refused. */
struct broken {
    const char *table;      /* "cudnn.pairs" */
    const char *id, *value; /* of the row: the key and what it is there */
    const char *key;        /* the key that is changed */
    const char *changed;    /* into this JSON; NULL: it is taken away */
    const char *where; /* the key that the error names; with its row where that is another one */
    const char *why;   /* a part of the reason */
};

static void joined_refuse_one(json_t *json, const struct broken *broken)
{
    AUTO_FREE char *subject = mem_string(broken->table);
    char *table = strchr(subject, '.');
    *table++ = '\0';
    json_t *row = joined_row(json, subject, table, broken->id, broken->value);
    assert_non_null(row);
    AUTO_JSON json_t *kept = json_deep_copy(row);
    if (broken->changed != NULL)
        json_object_set_new(row, broken->key, json_loads(broken->changed, JSON_DECODE_ANY, NULL));
    else
        assert_int_equal(json_object_del(row, broken->key), 0);

    AUTO_TEXT struct text text = {0};
    json_append_text(json, &text);
    AUTO_ERROR struct error error = {0};
    struct manifest *manifest = manifest_load(text.data, text.size, "M", &error);
    bool elsewhere = strchr(broken->where, '[') != NULL;
    bool refused = manifest == NULL && error.kind == ERROR_DATA &&
                   (elsewhere || strstr(error.where, broken->table) != NULL) &&
                   string_ends(error.where, broken->where) &&
                   strstr(error.why, broken->why) != NULL;
    if (!refused)
        print_message("%s %s %s: %s: %s\n", broken->table, broken->value, broken->key,
                      manifest != NULL ? "taken" : error.where, manifest != NULL ? "" : error.why);
    assert_true(refused);
    json_object_clear(row);
    json_object_update(row, kept);
}

static void joined_refuse(const struct broken *cases, size_t count)
{
    AUTO_JSON json_t *json = joined_read();
    for (size_t i = 0; i < count; i++)
        joined_refuse_one(json, &cases[i]);
}

#define JOINED_REFUSE(cases) joined_refuse(cases, sizeof(cases) / sizeof(*(cases)))

#endif
