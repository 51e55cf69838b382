/* SPDX-License-Identifier: MIT */
#include "properties/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "facts/name_index.h"
#include "manifest/manifest.h"
#include "manifest/store/store.h"

/* clang-format off */
const void *__real_manifest_rows(struct manifest *manifest, const struct manifest_subject *subject,
                                 unsigned table, size_t *ret_count);
const void *__wrap_manifest_rows(struct manifest *manifest, const struct manifest_subject *subject,
                                 unsigned table, size_t *ret_count);
const void *__real_manifest_rows_selected(struct manifest *manifest,
                                          const struct manifest_subject *subject, unsigned table,
                                          const struct strlist *texts, size_t *ret_count);
const void *__wrap_manifest_rows_selected(struct manifest *manifest,
                                          const struct manifest_subject *subject, unsigned table,
                                          const struct strlist *texts, size_t *ret_count);
/* clang-format on */

/* The rows of one answer without the one that is taken away; it stays until rows_take(). */
struct without {
    const void *rows; /* as they are */
    char *copy;
    size_t count;
};

static struct {
    struct rows *rows;
    struct name_index index;
    char *taken;
    struct without *withouts;
    size_t without_count, without_capacity;
} now;

static const char *row_id(const struct manifest_table *table, const char *row)
{
    const char *id;
    memcpy(&id, row + table->id_offset, sizeof(id));
    return id ? id : "";
}

static char *row_key(const struct manifest_subject *subject, const struct manifest_table *table,
                     const char *row)
{
    return mem_printf("%s.%s %s", subject->name, table->name, row_id(table, row));
}

static void note(const struct manifest_subject *subject, const struct manifest_table *table,
                 const char *row, bool whole)
{
    size_t at;
    AUTO_FREE char *key = row_key(subject, table, row);
    if (name_index_find(&now.index, key, &at)) {
        now.rows->items[at].whole = now.rows->items[at].whole && whole;
        return;
    }
    struct row_asked *asked = vec_push(now.rows->items, now.rows->count, now.rows->capacity);
    *asked = (struct row_asked){.key = mem_steal(&key), .whole = whole};
    asked->id = strchr(asked->key, ' ') + 1;
    name_index_add(&now.index, asked->key, now.rows->count - 1);
}

static const void *without_taken(const struct manifest_subject *subject,
                                 const struct manifest_table *table, const char *rows,
                                 size_t *ret_count)
{
    for (size_t i = 0; i < now.without_count; i++)
        if (now.withouts[i].rows == rows) {
            *ret_count = now.withouts[i].count;
            return now.withouts[i].copy;
        }
    struct without *without = vec_push(now.withouts, now.without_count, now.without_capacity);
    *without =
        (struct without){.rows = rows, .copy = mem_alloc((*ret_count + 1) * table->row_size)};
    for (size_t i = 0; i < *ret_count; i++) {
        const char *row = rows + i * table->row_size;
        AUTO_FREE char *key = row_key(subject, table, row);
        if (strcmp(key, now.taken) == 0)
            continue;
        memcpy(without->copy + without->count * table->row_size, row, table->row_size);
        without->count++;
    }
    *ret_count = without->count;
    return without->copy;
}

/* The subject and table of what is taken, which stand before the id. */
static bool is_of_table(const char *key, const struct manifest_subject *subject,
                        const struct manifest_table *table)
{
    size_t length = strlen(subject->name);
    return strncmp(key, subject->name, length) == 0 && key[length] == '.' &&
           strncmp(key + length + 1, table->name, strlen(table->name)) == 0 &&
           key[length + 1 + strlen(table->name)] == ' ';
}

static const void *seen(const struct manifest_subject *subject, unsigned table, const char *rows,
                        bool whole, size_t *ret_count)
{
    const struct manifest_table *of = &subject->tables[table];
    for (size_t i = 0; now.rows && rows && i < *ret_count; i++)
        note(subject, of, rows + i * of->row_size, whole);
    if (now.taken && rows && is_of_table(now.taken, subject, of))
        return without_taken(subject, of, rows, ret_count);
    return rows;
}

const void *__wrap_manifest_rows(struct manifest *manifest, const struct manifest_subject *subject,
                                 unsigned table, size_t *ret_count)
{
    const void *rows = __real_manifest_rows(manifest, subject, table, ret_count);
    return seen(subject, table, rows, true, ret_count);
}

const void *__wrap_manifest_rows_selected(struct manifest *manifest,
                                          const struct manifest_subject *subject, unsigned table,
                                          const struct strlist *texts, size_t *ret_count)
{
    const void *rows = __real_manifest_rows_selected(manifest, subject, table, texts, ret_count);
    return seen(subject, table, rows, false, ret_count);
}

void rows_begin(struct rows *rows)
{
    name_index_free(&now.index);
    now.index = (struct name_index){0};
    now.rows = rows;
}

void rows_take(const char *key)
{
    for (size_t i = 0; i < now.without_count; i++)
        free(now.withouts[i].copy);
    now.without_count = 0;
    free(now.taken);
    now.taken = mem_string(key);
}

void rows_free(struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        free(rows->items[i].key);
    free(rows->items);
    *rows = (struct rows){.count = 0};
}
