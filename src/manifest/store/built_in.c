/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/reader/problems.h"
#include "manifest/reader/subject.h"
#include "manifest/store/built_in.h"
#include "manifest/store/embedded.h"

static const struct manifest_subject_text *built_in_find(const char *subject)
{
    const struct manifest_subject_text *text = manifest_embedded;
    while (text->name != NULL && !string_equal(text->name, subject))
        text++;
    return text->name != NULL ? text : NULL;
}

struct manifest_document built_in_document(const char *subject, const char *name,
                                           struct manifest_problems *problems)
{
    struct manifest_document document = {.name = name, .problems = problems};
    const struct manifest_subject_text *text = built_in_find(subject);
    if (text != NULL) {
        document.locator.text = text->text;
        document.locator.size = (size_t)(text->end - text->text);
    }
    return document;
}

/* Parses one member of the subject into json, unless it has it. locate_member() saw that it is not
 * nested too deep. */
static bool take_member(const struct manifest_document *document, const char *key, json_t *json)
{
    const char *start;
    size_t size;
    if (json_object_get(json, key) != NULL)
        return true;
    if (document->locator.text == NULL ||
        !locate_member(document->locator.text, document->locator.size, key, &start, &size))
        return false;
    json_t *value = json_loadb(start, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
    return value != NULL && json_object_set_new(json, key, value) == 0;
}

bool built_in_read_table(const struct manifest_subject *subject, unsigned table,
                         struct manifest_store *store)
{
    AUTO_PROBLEMS struct manifest_problems problems = {.max = 1};
    struct manifest_document document = built_in_document(subject->name, subject->name, &problems);
    struct manifest_place place = {.document = &document, .subject = subject->name};
    if (store->json == NULL)
        store->json = json_object();
    return take_member(&document, "sources", store->json) &&
           take_member(&document, subject->tables[table].name, store->json) &&
           subject_read_table(&place, subject, table, store->json, store);
}

/* Whether the text of a row has one of texts. A string with a backslash may be any. */
static bool row_has(const char *row, size_t size, const struct strlist *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        if (memmem(row, size, texts->items[i], strlen(texts->items[i])) != NULL)
            return true;
    return memchr(row, '\\', size) != NULL;
}

/* The array, less the rows that have none of texts: a new value. */
static json_t *rows_having(const char *array, size_t size, const struct strlist *texts)
{
    AUTO_TEXT struct text text = {0};
    struct locate_scan scan = {.at = array, .end = array + size};
    const char *row;
    text_append(&text, "[");
    while (locate_item(&scan, &row, &size)) {
        if (!row_has(row, size, texts))
            continue;
        text_append(&text, text.size > 1 ? "," : "");
        text_append_n(&text, row, size);
    }
    text_append(&text, "]");
    return json_loadb(text.data, text.size, JSON_REJECT_DUPLICATES, NULL);
}

bool built_in_read_rows(const struct manifest_subject *subject, unsigned table,
                        const struct strlist *texts, struct manifest_store *store)
{
    AUTO_PROBLEMS struct manifest_problems problems = {.max = 1};
    struct manifest_document document = built_in_document(subject->name, subject->name, &problems);
    struct manifest_place place = {.document = &document, .subject = subject->name};
    const char *array;
    size_t size;
    if (document.locator.text == NULL ||
        !locate_member(document.locator.text, document.locator.size, subject->tables[table].name,
                       &array, &size))
        return false;
    AUTO_JSON json_t *rows = rows_having(array, size, texts);
    if (rows != NULL && json_array_size(rows) == 0)
        return true;
    store->json = json_object();
    return json_object_set(store->json, subject->tables[table].name, rows) == 0 &&
           take_member(&document, "sources", store->json) &&
           subject_read_table(&place, subject, table, store->json, store);
}

bool built_in_read_fields(const struct manifest_subject *subject, struct manifest_store *store)
{
    AUTO_PROBLEMS struct manifest_problems problems = {.max = 1};
    struct manifest_document document = built_in_document(subject->name, subject->name, &problems);
    struct manifest_place place = {.document = &document, .subject = subject->name};
    if (subject->fields == NULL)
        return false;
    if (store->json == NULL)
        store->json = json_object();
    for (const struct manifest_key *key = subject->fields; key->name != NULL; key++)
        take_member(&document, key->name, store->json); /* one that is missing is told below */
    return subject_read_fields(&place, subject, store->json, store);
}
