/* SPDX-License-Identifier: MIT */
#include "manifest/store/part.h"

#include <string.h>

#include "manifest/reader/problems.h"
#include "manifest/reader/subject.h"

struct part_text part_text_of(const char *text, size_t size)
{
    return (struct part_text){
        .text = text, .size = size, .members = {.scan = {.at = text, .end = text + size}}};
}

void part_text_free(struct part_text *text)
{
    free(text->members.items);
    json_decref(text->sources);
    *text = (struct part_text){.text = NULL};
}

/* A new value; NULL: there is none, or it is no JSON. The walk saw that it is not nested too
 * deep. */
static json_t *parse_member(struct part_text *text, const char *key)
{
    const struct locate_member *member = locate_members_find(&text->members, key);
    if (member == NULL)
        return NULL;
    return json_loadb(member->value, member->size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
}

/* Adds the rows of a table to store, and the citations that they name. */
static bool take_rows(struct part_text *text, const char *table, json_t *rows,
                      struct manifest_store *store)
{
    if (text->sources == NULL)
        text->sources = parse_member(text, "sources");
    if (store->json == NULL)
        store->json = json_object();
    return rows != NULL && json_object_set(store->json, table, rows) == 0 &&
           json_object_set(store->json, "sources", text->sources) == 0;
}

/* Nobody is told of a problem here. */
static bool read_table(const struct manifest_subject *subject, unsigned table,
                       struct manifest_store *store)
{
    AUTO_PROBLEMS struct manifest_problems problems = {.max = 1};
    struct manifest_document document = {.name = subject->name, .problems = &problems};
    struct manifest_place place = {.document = &document, .subject = subject->name};
    return subject_read_table(&place, subject, table, store->json, store);
}

bool part_read_table(struct part_text *text, const struct manifest_subject *subject, unsigned table,
                     struct manifest_store *store)
{
    const char *name = subject->tables[table].name;
    AUTO_JSON json_t *rows = parse_member(text, name);
    return take_rows(text, name, rows, store) && read_table(subject, table, store);
}

/* Whether the text of a row has one of words. A string with a backslash may be any. */
static bool row_has(const char *row, size_t size, const struct strlist *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (memmem(row, size, words->items[i], strlen(words->items[i])) != NULL)
            return true;
    return memchr(row, '\\', size) != NULL;
}

/* The array, less the rows that have none of words: a new value. */
static json_t *rows_having(const struct locate_member *array, const struct strlist *words)
{
    AUTO_TEXT struct text text = {0};
    struct locate_scan scan = {.at = array->value, .end = array->value + array->size};
    const char *row;
    size_t size;
    text_append(&text, "[");
    while (locate_item(&scan, &row, &size)) {
        if (!row_has(row, size, words))
            continue;
        text_append(&text, text.size > 1 ? "," : "");
        text_append_n(&text, row, size);
    }
    text_append(&text, "]");
    return json_loadb(text.data, text.size, JSON_REJECT_DUPLICATES, NULL);
}

bool part_read_rows(struct part_text *text, const struct manifest_subject *subject, unsigned table,
                    const struct strlist *words, struct manifest_store *store)
{
    const struct locate_member *array =
        locate_members_find(&text->members, subject->tables[table].name);
    if (array == NULL)
        return false;
    AUTO_JSON json_t *rows = rows_having(array, words);
    if (rows != NULL && json_array_size(rows) == 0)
        return true;
    return take_rows(text, subject->tables[table].name, rows, store) &&
           read_table(subject, table, store);
}

bool part_read_fields(struct part_text *text, const struct manifest_subject *subject,
                      struct manifest_store *store)
{
    AUTO_PROBLEMS struct manifest_problems problems = {.max = 1};
    struct manifest_document document = {.name = subject->name, .problems = &problems};
    struct manifest_place place = {.document = &document, .subject = subject->name};
    if (subject->fields == NULL)
        return false;
    if (store->json == NULL)
        store->json = json_object();
    for (const struct manifest_key *key = subject->fields; key->name != NULL; key++)
        if (locate_members_find(&text->members, key->name) !=
            NULL) /* one that is missing is told below */
            json_object_set_new(store->json, key->name, parse_member(text, key->name));
    return subject_read_fields(&place, subject, store->json, store);
}
