/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_MANIFEST_BROKEN_H
#define TESTS_UNIT_MANIFEST_BROKEN_H

#include <ctype.h>

#include "test.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"
#include "manifest/manifest.h"
#include "manifest/reader/problems.h"

/* The real manifest with one thing broken, and what the reader must say of it.
 *
 * A place is written as the reader writes it, with rows by what they hold instead of by number:
 *   cuda.rows[version=12.8.1].driver_min
 *   compat.rows[cuda=12.8,branch=535].verdict     every condition holds
 *   gpu.rows[0]  gpu.rows[last]  gpu.rows[+]      the first, the last, one more than there are
 *   cuda.sources[notes-13.3]                      a key with dots
 * It is looked up in the sound manifest, before anything is changed. */
struct broken {
    const char *at;    /* what is changed */
    const char *value; /* into what: JSON; NULL: it is taken away */
    const char *where; /* the place that the error must name, with its line; NULL: at */
    const char *why;   /* a part of the reason */
};

/* Where a place is: the steps from the document to it. */
#define BROKEN_STEPS 8
struct broken_place {
    struct broken_step {
        char *key; /* NULL: index */
        size_t index;
    } steps[BROKEN_STEPS];
    size_t count;
};

static inline char *joined_text(size_t *ret_size)
{
    FILE *file = fopen(TEST_BINARY_DIR "/gpuenv.manifest.json", "r");
    assert_non_null(file);
    char *text = malloc(MANIFEST_MAX);
    assert_non_null(text);
    *ret_size = fread(text, 1, MANIFEST_MAX, file);
    assert_int_equal(fclose(file), 0);
    return text;
}

/* The joined document; it is parsed once, and not to be changed. */
static inline json_t *joined_json(void)
{
    static json_t *json;
    if (json != NULL)
        return json_incref(json);
    size_t size;
    AUTO_FREE char *text = joined_text(&size);
    json = json_parse(text, size, MANIFEST_MAX, "joined", NULL);
    assert_non_null(json);
    return json_incref(json);
}

/* The number of rows of a table of the joined document. */
static inline size_t joined_count(const json_t *json, const char *subject, const char *table)
{
    return json_array_size(json_object_get(json_object_get(json, subject), table));
}

/* Whether row[key] is value, as text. */
static inline bool broken_cell_is(const json_t *row, const char *key, const char *value)
{
    const json_t *cell = json_object_get(row, key);
    if (json_is_string(cell))
        return strcmp(json_string_value(cell), value) == 0;
    AUTO_FREE char *number = mem_printf("%" JSON_INTEGER_FORMAT, json_integer_value(cell));
    return json_is_integer(cell) && strcmp(number, value) == 0;
}

/* Whether the row meets all conditions, "key=value,key=value". */
static inline bool broken_row_is(const json_t *row, const char *conditions)
{
    AUTO_STRLIST struct strlist list = {0};
    strlist_split(&list, conditions, ',');
    for (size_t i = 0; i < list.count; i++) {
        char *value = strchr(list.items[i], '=');
        assert_non_null(value);
        *value++ = '\0';
        if (!broken_cell_is(row, list.items[i], value))
            return false;
    }
    return true;
}

static inline size_t broken_row(const json_t *rows, const char *inside, const char *at)
{
    size_t size = json_array_size(rows);
    if (isdigit((unsigned char)*inside))
        return strtoul(inside, NULL, 10);
    if (strcmp(inside, "+") == 0)
        return size;
    if (strcmp(inside, "last") == 0)
        return size - 1;
    for (size_t i = 0; i < size; i++)
        if (broken_row_is(json_array_get(rows, i), inside))
            return i;
    print_error("no such row: %s\n", at);
    fail();
    return size;
}

static inline void broken_place_free(struct broken_place *place)
{
    for (size_t i = 0; i < place->count; i++)
        free(place->steps[i].key);
}
#define AUTO_PLACE AUTO(broken_place_free)

static inline json_t *broken_step_get(const json_t *value, const struct broken_step *step)
{
    return step->key != NULL ? json_object_get(value, step->key)
                             : json_array_get(value, step->index);
}

static inline struct broken_place broken_find(const json_t *document, const char *at)
{
    struct broken_place place = {.count = 0};
    const json_t *value = document;
    for (const char *c = at; *c != '\0';) {
        bool bracket = *c == '[';
        c += bracket || *c == '.';
        size_t size = strcspn(c, bracket ? "]" : ".[");
        AUTO_FREE char *word = mem_string_n(c, size);
        c += size + bracket;
        assert_true(place.count < BROKEN_STEPS);
        struct broken_step *step = &place.steps[place.count++];
        if (bracket && json_is_array(value))
            step->index = broken_row(value, word, at);
        else
            step->key = mem_steal(&word);
        value = broken_step_get(value, step);
    }
    return place;
}

/* As the reader writes it. */
static inline char *broken_path(const struct broken_place *place)
{
    struct text path = {0};
    for (size_t i = 0; i < place->count; i++) {
        if (place->steps[i].key == NULL)
            text_printf(&path, "[%zu]", place->steps[i].index);
        else
            text_printf(&path, "%s%s", i > 0 ? "." : "", place->steps[i].key);
    }
    return text_steal(&path);
}

/* Puts value (owned; NULL takes away) at the first count steps of place. False: nothing is there
 * that could have it. */
static inline bool broken_put(json_t *document, const struct broken_place *place, size_t count,
                              json_t *value)
{
    json_t *parent = document;
    for (size_t i = 0; i + 1 < count; i++)
        parent = broken_step_get(parent, &place->steps[i]);
    const struct broken_step *last = &place->steps[count - 1];
    if (value == NULL)
        return (last->key != NULL ? json_object_del(parent, last->key)
                                  : json_array_remove(parent, last->index)) == 0;
    if (last->key != NULL)
        return json_object_set_new(parent, last->key, value) == 0;
    if (last->index == json_array_size(parent))
        return json_array_append_new(parent, value) == 0;
    return json_array_set_new(parent, last->index, value) == 0;
}

/* Whether what is at the place is that value, as JSON without white space. */
static inline void assert_cell(const json_t *document, const char *at, const char *value)
{
    AUTO_PLACE struct broken_place place = broken_find(document, at);
    const json_t *cell = document;
    for (size_t i = 0; i < place.count; i++)
        cell = broken_step_get(cell, &place.steps[i]);
    AUTO_FREE char *text = json_dumps(cell, JSON_COMPACT | JSON_ENCODE_ANY);
    if (text == NULL || strcmp(text, value) != 0)
        print_error("%s\n", at);
    assert_non_null(text);
    assert_string_equal(text, value);
}

/* The document with value at the place. What is not on the way to it is shared with document. */
static inline json_t *broken_json(const json_t *document, const char *at, const char *value)
{
    AUTO_PLACE struct broken_place place = broken_find(document, at);
    json_t *put = value != NULL ? json_loads(value, JSON_DECODE_ANY, NULL) : NULL;
    assert_true(value == NULL || put != NULL);
    json_t *json = json_copy((json_t *)(uintptr_t)document);
    const char *subject = place.steps[0].key;
    if (place.count > 1)
        json_object_set_new(json, subject, json_deep_copy(json_object_get(json, subject)));
    if (!broken_put(json, &place, place.count, put)) {
        print_error("no such place: %s\n", at);
        fail();
    }
    return json;
}

/* A subject as text. Those of the sound document are kept, since most cases change one alone; the
 * reference makes sure that no other value gets the same address. */
#define BROKEN_KEPT 32
static inline const char *subject_text(json_t *subject, struct text *buffer)
{
    static struct {
        json_t *subject;
        char *text;
        size_t uses;
    } kept[BROKEN_KEPT];
    size_t oldest = 0;
    for (size_t i = 0; i < BROKEN_KEPT; i++) {
        if (kept[i].subject == subject)
            return kept[i].uses++, kept[i].text;
        if (kept[i].uses < kept[oldest].uses)
            oldest = i;
    }
    json_append_text(subject, buffer);
    buffer->data[--buffer->size] = '\0'; /* the newline */
    json_decref(kept[oldest].subject);
    free(kept[oldest].text);
    kept[oldest].subject = json_incref(subject);
    kept[oldest].text = mem_string(text_string(buffer));
    kept[oldest].uses = 0;
    return text_string(buffer);
}

/* The document as text, a line for each value. ret_line (may be NULL) is that of subject. */
static inline void document_text(const json_t *document, struct text *text, const char *subject,
                                 size_t *ret_line)
{
    const char *name;
    json_t *value;
    text_append(text, "{\n");
    json_object_foreach((json_t *)(uintptr_t)document, name, value)
    {
        AUTO_TEXT struct text buffer = {0};
        if (text->size > 2)
            text_append(text, ",\n");
        for (size_t i = 0; string_equal(name, subject) && i < text->size; i++)
            *ret_line += text->data[i] == '\n';
        text_printf(text, "\"%s\": ", name);
        text_append(text, subject_text(value, &buffer));
    }
    text_append(text, "\n}\n");
}

static inline struct manifest *load_json(const json_t *json, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    document_text(json, &text, NULL, NULL);
    return manifest_load(text.data, text.size, "M", error);
}

/* The line of the text of json on which the place is, or else what it would be in; line is that of
 * its subject. It is found by a mark put there. */
static inline size_t broken_line(const json_t *json, const struct broken_place *place, size_t line)
{
    size_t count = 0;
    const json_t *value = json;
    while (count < place->count && (value = broken_step_get(value, &place->steps[count])) != NULL)
        count++;
    const char *subject = place->steps[0].key;
    if (count < 2)
        return count == 0 ? 1 : line;
    AUTO_JSON json_t *marked = json_object();
    AUTO_TEXT struct text text = {0};
    json_object_set_new(marked, subject, json_deep_copy(json_object_get(json, subject)));
    assert_true(broken_put(marked, place, count, json_string("<HERE>")));
    json_append_text(json_object_get(marked, subject), &text);
    const char *mark = strstr(text_string(&text), "\"<HERE>\"");
    for (const char *c = text_string(&text); c < mark; c++)
        line += *c == '\n';
    return line;
}

static inline void refuse_one(const json_t *document, const struct broken *broken)
{
    AUTO_PLACE struct broken_place place =
        broken_find(document, broken->where != NULL ? broken->where : broken->at);
    AUTO_JSON json_t *json = broken_json(document, broken->at, broken->value);
    AUTO_TEXT struct text text = {0};
    size_t line = 1;
    document_text(json, &text, place.steps[0].key, &line);
    AUTO_FREE char *path = broken_path(&place);
    AUTO_FREE char *where = mem_printf("M:%zu: %s", broken_line(json, &place, line), path);
    AUTO_ERROR struct error error = {0};
    struct manifest *manifest = manifest_load(text.data, text.size, "M", &error);
    if (manifest != NULL)
        print_error("taken: %s = %s\n", broken->at, broken->value);
    assert_null(manifest);
    assert_int_equal(error.kind, ERROR_DATA);
    if (strstr(error.why, broken->why) == NULL || strcmp(error.where, where) != 0)
        print_error("%s = %s gives %s: %s, not: %s\n", broken->at, broken->value, error.where,
                    error.why, broken->why);
    assert_string_equal(error.where, where);
    assert_non_null(strstr(error.why, broken->why));
    assert_non_null(error.next);
}

/* Whether rows of the subject may be left out: nothing of another one leans on them. */
static inline bool broken_is_leaf(const char *subject, const struct broken *cases, size_t count)
{
    /* Messages lean on the numbers that they stand for. */
    for (size_t i = 0; i < count; i++)
        if ((string_starts(cases[i].at, "error.messages") ||
             string_starts(cases[i].at, "message.")) &&
            string_equal(subject, "error"))
            return false;
    static const char *const leaves[] = {"device", "error",  "framework",
                                         "gpu",    "legacy", "package"};
    for (size_t i = 0; i < sizeof(leaves) / sizeof(*leaves); i++)
        if (string_equal(subject, leaves[i]))
            return true;
    /* Archives of legacy lean on pins, and pins on one another. */
    bool is_pin = string_equal(subject, "pin");
    for (size_t i = 0; is_pin && i < count; i++)
        is_pin = !string_starts(cases[i].at, "legacy.") && !string_starts(cases[i].at, "pin.");
    return is_pin;
}

/* Adds the row that a place is in, and its neighbours, to those that are kept of a table. */
static inline void broken_keep(const json_t *document, const char *at, const char *subject,
                               const char *table, bool *kept, size_t count)
{
    AUTO_FREE char *rows = mem_printf("%s.%s[", subject, table);
    if (!string_starts(at, rows))
        return;
    AUTO_PLACE struct broken_place place = broken_find(document, at);
    size_t row = place.steps[2].index;
    for (size_t i = row > 0 ? row - 1 : 0; i < count && i <= row + 1; i++)
        kept[i] = true;
}

/* A pin that rows of download lean on. */
static inline bool broken_is_download(const json_t *row)
{
    const json_t *source = json_array_get(json_object_get(row, "source"), 0);
    return string_equal(json_string_value(source), "wheels");
}

#define BROKEN_LONG 60
static inline json_t *broken_cut_table(const json_t *document, const char *subject,
                                       const char *table, const struct broken *cases, size_t count)
{
    const json_t *rows = json_object_get(json_object_get(document, subject), table);
    size_t size = json_array_size(rows);
    AUTO_FREE bool *kept = mem_alloc(size * sizeof(*kept));
    kept[0] = kept[size - 1] = true;
    for (size_t i = 0; i < count; i++) {
        broken_keep(document, cases[i].at, subject, table, kept, size);
        if (cases[i].where != NULL)
            broken_keep(document, cases[i].where, subject, table, kept, size);
    }
    json_t *cut = json_array();
    for (size_t i = 0; i < size; i++)
        if ((kept[i] && json_object_get(json_array_get(rows, i), "error") == NULL) ||
            broken_is_download(json_array_get(rows, i)))
            json_array_append(cut, json_array_get(rows, i));
    return cut;
}

/* The joined document without the rows of long tables that no case speaks of: reading it is most of
 * what a case costs. It is sound. */
static inline json_t *joined_cut(const struct broken *cases, size_t count)
{
    AUTO_JSON json_t *document = joined_json();
    json_t *cut = json_copy(document);
    const char *subject;
    json_t *value;
    json_object_foreach(document, subject, value)
    {
        if (!broken_is_leaf(subject, cases, count))
            continue;
        json_t *copy = json_copy(value);
        const char *table;
        json_t *rows;
        json_object_foreach(value, table, rows)
        {
            /* All other tables of its subject lean on frameworks. */
            if (json_array_size(rows) > BROKEN_LONG && strcmp(table, "frameworks") != 0)
                json_object_set_new(copy, table,
                                    broken_cut_table(document, subject, table, cases, count));
        }
        json_object_set_new(cut, subject, copy);
    }
    /* Its rows lean on errors, which are cut; older manifests lack it. */
    bool speaks = false;
    for (size_t i = 0; i < count; i++)
        speaks = speaks || string_starts(cases[i].at, "message.");
    if (!speaks)
        json_object_del(cut, "message");
    AUTO_ERROR struct error error = {0};
    struct manifest *manifest = load_json(cut, &error);
    if (manifest == NULL)
        print_error("a row that others lean on was cut: %s: %s\n", error.where, error.why);
    assert_non_null(manifest);
    manifest_free(manifest);
    return cut;
}

static inline void refuse(const struct broken *cases, size_t count)
{
    AUTO_JSON json_t *document = joined_cut(cases, count);
    for (size_t i = 0; i < count; i++)
        refuse_one(document, &cases[i]);
}

/* Each of an array of struct broken is refused, as it says. */
#define REFUSE(cases) refuse(cases, sizeof(cases) / sizeof(*(cases)))

#endif
