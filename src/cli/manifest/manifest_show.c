/* SPDX-License-Identifier: MIT */
#include "cli/manifest/manifest_show.h"

#include <string.h>

#include "base/wrap.h"
#include "manifest/agreement.h"
#include "manifest/reader/slug.h"
#include "manifest/reader/subject.h"
#include "manifest/store/store.h"
#include "report/engine/grid.h"

#define LABEL_COLUMNS 22 /* of a row that is shown whole */

/* The rows of one table, as they were read and as they stand in the document. */
struct rows {
    const struct manifest_subject *subject;
    const struct manifest_table *table;
    const char *items;
    size_t count;
    const json_t *json;    /* a list */
    const json_t *sources; /* the citations */
};

static struct rows rows_of(struct manifest *manifest, const struct manifest_subject *subject,
                           unsigned table)
{
    struct rows rows = {.subject = subject, .table = &subject->tables[table]};
    const json_t *json = manifest_json(manifest, subject);
    rows.items = manifest_rows(manifest, subject, table, &rows.count);
    rows.json = json_object_get(json, rows.table->name);
    rows.sources = json_object_get(json, "sources");
    return rows;
}

static const char *row_id(const struct rows *rows, size_t index)
{
    const char *id;
    memcpy(&id, rows->items + index * rows->table->row_size + rows->table->id_offset, sizeof(id));
    return id;
}

static bool is_chosen(const struct manifest_choice *choice, const struct manifest_subject *subject,
                      const struct manifest_table *table)
{
    return (choice->subject == NULL || choice->subject == subject) &&
           (choice->table == NULL || choice->table == table);
}

/* The table that comes after *rows among those chosen. Begin with {0}. */
static bool rows_next(struct manifest *manifest, const struct manifest_choice *choice,
                      struct rows *rows)
{
    bool passed = rows->subject == NULL;
    for (size_t i = 0; manifest_subjects[i] != NULL; i++) {
        const struct manifest_subject *subject = manifest_subjects[i];
        for (unsigned k = 0; k < MANIFEST_TABLES && subject->tables[k].name != NULL; k++) {
            if (passed && is_chosen(choice, subject, &subject->tables[k])) {
                *rows = rows_of(manifest, subject, k);
                return true;
            }
            passed = passed || rows->table == &subject->tables[k];
        }
    }
    return false;
}

static bool choose_table(const char *word, struct manifest_choice *choice, struct strlist *near)
{
    for (size_t i = 0; manifest_subjects[i] != NULL; i++) {
        const struct manifest_subject *subject = manifest_subjects[i];
        choice->subject = subject;
        choice->table = NULL;
        if (string_equal(word, subject->name))
            return true;
        strlist_add(near, subject->name);
        for (unsigned k = 0; k < MANIFEST_TABLES && subject->tables[k].name != NULL; k++) {
            AUTO_FREE char *name = mem_printf("%s/%s", subject->name, subject->tables[k].name);
            choice->table = &subject->tables[k];
            if (string_equal(word, name))
                return true;
            strlist_add(near, name);
        }
    }
    return false;
}

static bool choose_row(struct manifest *manifest, const char *word, struct manifest_choice *choice,
                       struct strlist *near)
{
    const struct manifest_choice all = {.subject = NULL};
    struct rows rows = {.subject = NULL};
    while (rows_next(manifest, &all, &rows)) {
        for (size_t i = 0; i < rows.count; i++) {
            const char *id = row_id(&rows, i);
            if (string_equal(word, id)) {
                *choice = (struct manifest_choice){rows.subject, rows.table, id};
                return true;
            }
            strlist_add(near, id);
        }
    }
    return false;
}

bool manifest_choose(struct manifest *manifest, const char *word,
                     struct manifest_choice *ret_choice, struct strlist *near)
{
    struct manifest_choice choice = {.subject = NULL};
    if (word != NULL && !choose_table(word, &choice, near) &&
        (strchr(word, '/') == NULL || !choose_row(manifest, word, &choice, near)))
        return false;
    *ret_choice = choice;
    return true;
}

/* A value as text: a new string; items of a list with commas. */
static char *cell_text(const json_t *value)
{
    if (json_is_string(value))
        return mem_string(json_string_value(value));
    if (json_is_integer(value))
        return mem_printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
    if (json_is_real(value))
        return mem_printf("%.15g", json_real_value(value));
    struct text text = {0};
    for (size_t i = 0; i < json_array_size(value); i++) {
        AUTO_FREE char *item = cell_text(json_array_get(value, i));
        text_printf(&text, "%s%s", i > 0 ? ", " : "", item);
    }
    return text_steal(&text);
}

static const json_t *row_cell(const struct rows *rows, size_t row, const char *key)
{
    return json_object_get(json_array_get(rows->json, row), key);
}

/* Whether every row's id tells the cell: cuda/12.8.1 has the version in it. */
static bool is_in_ids(const struct rows *rows, const char *key)
{
    for (size_t i = 0; i < rows->count; i++) {
        AUTO_FREE char *cell = cell_text(row_cell(rows, i, key));
        AUTO_FREE char *short_cell = manifest_slug(cell);
        AUTO_FREE char *short_id = manifest_slug(row_id(rows, i));
        if (strstr(short_id, short_cell) == NULL)
            return false;
    }
    return true;
}

/* Sources and notes are too long for a table. */
static bool is_column(const struct rows *rows, const struct manifest_key *key)
{
    return key->type != KEY_SOURCES && !string_equal(key->name, "notes") &&
           !is_in_ids(rows, key->name);
}

static void append_grid(const struct rows *rows, unsigned columns, struct text *output)
{
    AUTO_GRID struct grid grid = {0};
    AUTO_STRLIST struct strlist left_out = {0};
    strlist_add(&grid.titles, "row");
    for (const struct manifest_key *key = rows->table->keys; key->name != NULL; key++)
        if (is_column(rows, key))
            strlist_add(&grid.titles, key->name);
    for (size_t i = 0; i < rows->count; i++) {
        strlist_add(&grid.cells, row_id(rows, i));
        for (size_t k = 1; k < grid.titles.count; k++)
            strlist_take(&grid.cells, cell_text(row_cell(rows, i, grid.titles.items[k])));
    }
    grid_append(&grid, columns, output, &left_out);
    strlist_add(&left_out, "notes");
    strlist_add(&left_out, "source");
    AUTO_FREE char *names = strlist_join(&left_out, ", ");
    struct wrap wrap;
    wrap_begin(&wrap, output, columns, 0, 2);
    wrap_printf(&wrap, "not shown: %s", names);
    wrap_end(&wrap);
    if (rows->count == 0)
        return;
    wrap_begin(&wrap, output, columns, 0, 2);
    wrap_printf(&wrap, "a whole row: gpuenv manifest show");
    wrap_unsplit(&wrap, row_id(rows, 0));
    wrap_end(&wrap);
}

static void append_label(const char *label, const char *words, unsigned columns,
                         struct text *output)
{
    struct wrap wrap;
    text_printf(output, "  %-*s", LABEL_COLUMNS - 2, label);
    wrap_begin(&wrap, output, columns, LABEL_COLUMNS, LABEL_COLUMNS);
    wrap_words(&wrap, words);
    wrap_end(&wrap);
}

static void append_row(const struct rows *rows, size_t row, unsigned columns, struct text *output)
{
    text_append_safe(output, row_id(rows, row));
    text_append_char(output, '\n');
    for (const struct manifest_key *key = rows->table->keys; key->name != NULL; key++) {
        const json_t *value = row_cell(rows, row, key->name);
        for (size_t i = 0; key->type == KEY_SOURCES && i < json_array_size(value); i++) {
            const char *name = json_string_value(json_array_get(value, i));
            append_label(i == 0 ? key->name : "",
                         json_string_value(json_object_get(rows->sources, name)), columns, output);
        }
        AUTO_FREE char *cell = cell_text(value);
        if (value != NULL && key->type != KEY_SOURCES)
            append_label(key->name, cell, columns, output);
    }
}

static void append_rows(const struct rows *rows, const char *id, unsigned columns,
                        struct text *output)
{
    if (id == NULL) {
        text_printf(output, "\n%s/%s: %s\n", rows->subject->name, rows->table->name,
                    rows->table->about != NULL ? rows->table->about : "");
        append_grid(rows, columns, output);
        return;
    }
    text_append_char(output, '\n');
    for (size_t i = 0; i < rows->count; i++)
        if (string_equal(row_id(rows, i), id))
            append_row(rows, i, columns, output);
}

void manifest_show_text(struct manifest *manifest, const struct manifest_choice *choice,
                        unsigned columns, struct text *output)
{
    AUTO_GRID struct grid grid = {0};
    struct rows rows = {.subject = NULL};
    strlist_add(&grid.titles, "table");
    strlist_add(&grid.titles, "rows");
    strlist_add(&grid.titles, "what a row is");
    while (rows_next(manifest, choice, &rows)) {
        if (choice->subject != NULL) {
            append_rows(&rows, choice->id, columns, output);
            continue;
        }
        strlist_take(&grid.cells, mem_printf("%s/%s", rows.subject->name, rows.table->name));
        strlist_take(&grid.cells, mem_printf("%zu", rows.count));
        strlist_add(&grid.cells, rows.table->about != NULL ? rows.table->about : "");
    }
    if (grid.cells.count == 0)
        return;
    text_append_char(output, '\n');
    grid_append(&grid, columns, output, NULL);
    text_append(output, "\nthe rows of a table: gpuenv manifest show cuda/rows\n");
}

static json_t *row_json(const struct rows *rows, size_t row)
{
    json_t *object = json_object();
    json_object_set_new(object, "id", json_from_string(row_id(rows, row)));
    for (const struct manifest_key *key = rows->table->keys; key->name != NULL; key++) {
        json_t *value = json_deep_copy(row_cell(rows, row, key->name));
        for (size_t i = 0; key->type == KEY_SOURCES && i < json_array_size(value); i++) {
            const char *name = json_string_value(json_array_get(value, i));
            json_array_set(value, i, json_object_get(rows->sources, name));
        }
        if (value != NULL)
            json_object_set_new(object, key->name, value);
    }
    return object;
}

json_t *manifest_show_json(struct manifest *manifest, const struct manifest_choice *choice)
{
    json_t *tables = json_array();
    struct rows rows = {.subject = NULL};
    while (rows_next(manifest, choice, &rows)) {
        json_t *table = json_object();
        json_object_set_new(table, "subject", json_from_string(rows.subject->name));
        json_object_set_new(table, "table", json_from_string(rows.table->name));
        json_object_set_new(table, "about", json_from_string(rows.table->about));
        json_object_set_new(table, "count", json_integer((json_int_t)rows.count));
        json_t *list = choice->subject != NULL ? json_array() : NULL;
        for (size_t i = 0; list != NULL && i < rows.count; i++)
            if (choice->id == NULL || string_equal(choice->id, row_id(&rows, i)))
                json_array_append_new(list, row_json(&rows, i));
        if (list != NULL)
            json_object_set_new(table, "rows", list);
        json_array_append_new(tables, table);
    }
    return tables;
}
