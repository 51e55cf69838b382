/* SPDX-License-Identifier: MIT */
#include "base/toml.h"

#include <ctype.h>
#include <string.h>

#include "base/toml_reader.h"

#define MARK "\xEF\xBB\xBF" /* of byte order, which editors leave */

static json_t *read_value(struct toml_reader *reader);

static void skip_blanks(struct toml_reader *reader)
{
    while (toml_peek(reader) == ' ' || toml_peek(reader) == '\t')
        reader->at++;
}

static void skip_comment(struct toml_reader *reader)
{
    while (toml_peek(reader) == '#' && reader->at < reader->end)
        while (reader->at < reader->end && *reader->at != '\n')
            reader->at++;
}

/* Blanks, comments and ends of lines. */
static void skip_lines(struct toml_reader *reader)
{
    for (;;) {
        skip_blanks(reader);
        skip_comment(reader);
        if (toml_peek(reader) == '\n')
            reader->line++;
        else if (toml_peek(reader) != '\r')
            return;
        reader->at++;
    }
}

/* After a table's name or a value: nothing but a comment may follow on the line. */
static bool end_line(struct toml_reader *reader)
{
    skip_blanks(reader);
    skip_comment(reader);
    toml_take(reader, "\r");
    if (reader->at == reader->end)
        return true;
    if (!toml_take(reader, "\n"))
        return toml_fail(reader, "more text than one value in a line");
    reader->line++;
    return true;
}

static bool is_bare(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static bool read_key_part(struct toml_reader *reader, struct text *text)
{
    if (toml_peek(reader) == '"' || toml_peek(reader) == '\'')
        return toml_string(reader, true, text);
    while (is_bare(toml_peek(reader)))
        text_append_char(text, *reader->at++);
    return text->size > 0 || toml_fail(reader, "no key where one must be");
}

/* a.b."c d": all its parts. */
static bool read_key(struct toml_reader *reader, struct strlist *parts)
{
    do {
        AUTO_TEXT struct text text = {0};
        skip_blanks(reader);
        if (!read_key_part(reader, &text))
            return false;
        if (!utf8_valid(text_string(&text), text.size))
            return toml_fail(reader, "a key that is not UTF-8");
        if (parts->count == JSON_DEPTH)
            return toml_fail(reader, "a key of too many parts");
        strlist_add(parts, text_string(&text));
        skip_blanks(reader);
    } while (toml_take(reader, "."));
    return true;
}

/* The table below table under a part of a key, made where there is none; of an array of tables the
 * last. Borrowed; NULL: it is something else. */
static json_t *open_table(struct toml_reader *reader, json_t *table, const char *part)
{
    json_t *found = json_object_get(table, part);
    if (found == NULL) {
        found = json_object();
        json_object_set_new(table, part, found);
    }
    if (json_is_array(found))
        found = json_array_get(found, json_array_size(found) - 1);
    if (!json_is_object(found))
        toml_fail(reader, "a key that has a value is used as a table");
    return json_is_object(found) ? found : NULL;
}

static json_t *open_tables(struct toml_reader *reader, json_t *table, const struct strlist *parts,
                           size_t count)
{
    for (size_t i = 0; i < count && table; i++)
        table = open_table(reader, table, parts->items[i]);
    return table;
}

/* key = value */
static bool read_pair(struct toml_reader *reader, json_t *table)
{
    AUTO_STRLIST struct strlist parts = {0};
    if (!read_key(reader, &parts))
        return false;
    if (!toml_take(reader, "="))
        return toml_fail(reader, "a key without \"=\"");
    skip_blanks(reader);
    json_t *value = read_value(reader);
    if (value == NULL)
        return false;
    const char *last = parts.items[parts.count - 1];
    json_t *holder = open_tables(reader, table, &parts, parts.count - 1);
    if (holder && json_object_get(holder, last))
        toml_fail(reader, "a key that is set twice");
    else if (holder)
        json_object_set(holder, last, value);
    json_decref(value);
    return reader->wrong == NULL;
}

static bool read_array(struct toml_reader *reader, json_t *array)
{
    for (;;) {
        skip_lines(reader);
        if (toml_take(reader, "]"))
            return true;
        json_t *value = read_value(reader);
        if (value == NULL)
            return false;
        json_array_append_new(array, value);
        skip_lines(reader);
        if (!toml_take(reader, ",") && toml_peek(reader) != ']')
            return toml_fail(reader, "an array that does not end");
    }
}

static bool read_inline_table(struct toml_reader *reader, json_t *table)
{
    skip_blanks(reader);
    if (toml_take(reader, "}"))
        return true;
    do {
        if (!read_pair(reader, table))
            return false;
        skip_blanks(reader);
    } while (toml_take(reader, ","));
    return toml_take(reader, "}") || toml_fail(reader, "an inline table that does not end");
}

/* A number, a date, true or false: the rest of the word. */
static json_t *read_word(struct toml_reader *reader)
{
    AUTO_TEXT struct text text = {0};
    AUTO_TEXT struct text digits = {0};
    unsigned long long number;
    while (is_bare(toml_peek(reader)) || (toml_peek(reader) && strchr("+.:", toml_peek(reader))))
        text_append_char(&text, *reader->at++);
    const char *word = text_string(&text);
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
        return json_boolean(word[0] == 't');
    bool negative = word[0] == '-';
    const char *bare = word + (negative || word[0] == '+');
    if (!isdigit((unsigned char)*bare) && strcmp(bare, "inf") != 0 && strcmp(bare, "nan") != 0) {
        toml_fail(reader, "a value that TOML does not have");
        return NULL;
    }
    for (const char *c = bare; *c; c++)
        if (*c != '_')
            text_append_char(&digits, *c);
    if (string_to_unsigned(text_string(&digits), &number) && number <= INT64_MAX)
        return json_integer(negative ? -(json_int_t)number : (json_int_t)number);
    return json_string(word);
}

static json_t *read_nested(struct toml_reader *reader, bool array)
{
    json_t *value = array ? json_array() : json_object();
    bool good = ++reader->depth <= JSON_DEPTH || toml_fail(reader, "nested too deep");
    good = good && (array ? read_array(reader, value) : read_inline_table(reader, value));
    reader->depth--;
    if (good)
        return value;
    json_decref(value);
    return NULL;
}

static json_t *read_value(struct toml_reader *reader)
{
    AUTO_TEXT struct text text = {0};
    if (++reader->values > TOML_VALUES) {
        toml_fail(reader, "more values than gpuenv reads");
        return NULL;
    }
    if (toml_take(reader, "["))
        return read_nested(reader, true);
    if (toml_take(reader, "{"))
        return read_nested(reader, false);
    if (toml_peek(reader) == '"' || toml_peek(reader) == '\'')
        return toml_string(reader, false, &text) ? json_from_string(text_string(&text)) : NULL;
    return read_word(reader);
}

/* [a.b] or [[a.b]]; the table that the lines below it belong to. */
static json_t *read_header(struct toml_reader *reader, json_t *root)
{
    AUTO_STRLIST struct strlist parts = {0};
    bool array = toml_take(reader, "[[");
    reader->at += !array;
    if (!read_key(reader, &parts) || ++reader->values > TOML_VALUES ||
        !toml_take(reader, array ? "]]" : "]")) {
        toml_fail(reader, "a table's name that does not end");
        return NULL;
    }
    const char *last = parts.items[parts.count - 1];
    json_t *holder = open_tables(reader, root, &parts, parts.count - 1);
    if (holder == NULL || !array)
        return holder ? open_table(reader, holder, last) : NULL;
    json_t *tables = json_object_get(holder, last);
    if (tables == NULL) {
        tables = json_array();
        json_object_set_new(holder, last, tables);
    }
    json_t *table = json_object();
    if (!json_is_array(tables))
        toml_fail(reader, "a key that has a value is used as an array of tables");
    json_array_append_new(tables, table); /* which frees it where it is no array */
    return json_is_array(tables) ? table : NULL;
}

static void read_document(struct toml_reader *reader, json_t *root)
{
    json_t *table = root;
    toml_take(reader, MARK);
    for (;;) {
        skip_lines(reader);
        if (reader->at == reader->end || reader->wrong)
            return;
        if (toml_peek(reader) == '[')
            table = read_header(reader, root);
        else
            read_pair(reader, table);
        if (reader->wrong || !end_line(reader))
            return;
    }
}

json_t *toml_parse(const char *text, size_t size, size_t max, const char *name, struct error *error)
{
    struct toml_reader reader = {.at = text, .end = text + size, .line = 1};
    if (size > max) {
        error_set(error, ERROR_DATA, "too long to read");
        error_where(error, "%s", name);
        error_why(error, "more than %zu bytes", max);
        return NULL;
    }
    json_t *root = json_object();
    read_document(&reader, root);
    if (reader.wrong == NULL)
        return root;
    json_decref(root);
    error_set(error, ERROR_DATA, "not read as TOML");
    error_where(error, "%s", name);
    error_why(error, "line %u: %s", reader.line, reader.wrong);
    return NULL;
}
