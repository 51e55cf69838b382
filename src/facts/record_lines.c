/* SPDX-License-Identifier: MIT */
#include "facts/record_lines.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"

#define FIRST_LINE "# gpuenv record 1"

/* A string of JSON, with \u0060 for the ` that would end a block of code. */
static void append_string(const char *string, struct text *output)
{
    AUTO_JSON json_t *value = json_from_string(string);
    AUTO_FREE char *quoted = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    if (quoted == NULL) {
        mem_exhausted();
        return;
    }
    for (const char *at = quoted; *at; at++) {
        if (*at == '`')
            text_append(output, "\\u0060");
        else
            text_append_char(output, *at);
    }
}

static void append_value(const struct fact *fact, struct text *output)
{
    switch (fact->type) {
    case FACT_STRING:
        append_string(fact->string, output);
        break;
    case FACT_INTEGER:
        text_printf(output, "%" PRId64, fact->integer);
        break;
    case FACT_BOOLEAN:
        text_append(output, fact->boolean ? "yes" : "no");
        break;
    case FACT_LIST:
        text_append_char(output, '[');
        for (size_t i = 0; i < fact->list.count; i++) {
            text_append(output, i > 0 ? ", " : "");
            append_string(fact->list.items[i], output);
        }
        text_append_char(output, ']');
        break;
    }
}

/* The state of a fact without value, as its line begins. */
static void append_state(const struct fact *fact, struct text *output)
{
    if (fact->state == FACT_ABSENT) {
        text_append(output, "- absent:");
        return;
    }
    text_append(output, fact->state == FACT_UNKNOWN ? "- unknown " : "- skipped ");
    append_string(fact->reason, output);
    text_append_char(output, ':');
}

static bool same_list(const struct strlist *a, const struct strlist *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!string_equal(a->items[i], b->items[i]))
            return false;
    return true;
}

static bool same_fact(const struct fact *a, const struct fact *b)
{
    if (a->state != b->state || !string_equal(a->reason, b->reason))
        return false;
    return a->state != FACT_VALUE ||
           (a->type == b->type && a->integer == b->integer && a->boolean == b->boolean &&
            string_equal(a->string, b->string) && same_list(&a->list, &b->list));
}

/* Whether a group can be written as the other: they have the same facts, in the same order. The
 * differences are counted. */
static bool same_names(const struct facts *facts, const char *group, const char *base,
                       size_t *ret_differ)
{
    size_t count = facts_count(facts, group);
    if (base == NULL || count != facts_count(facts, base))
        return false;
    *ret_differ = 0;
    for (size_t i = 0; i < count; i++) {
        const struct fact *a = facts_at(facts, group, i), *b = facts_at(facts, base, i);
        if (!string_equal(a->name, b->name))
            return false;
        *ret_differ += !same_fact(a, b);
    }
    return *ret_differ < count;
}

/* Facts without value that share state and reason share a line. */
static void append_without_value(const struct facts *facts, const char *group, const char *base,
                                 size_t index, struct text *output)
{
    const struct fact *first = facts_at(facts, group, index);
    for (size_t i = 0; i < index; i++) {
        const struct fact *before = facts_at(facts, group, i);
        if (same_fact(before, first) && (!base || !same_fact(before, facts_at(facts, base, i))))
            return; /* it stands on the line of that one */
    }
    append_state(first, output);
    for (size_t i = index; i < facts_count(facts, group); i++) {
        const struct fact *fact = facts_at(facts, group, i);
        if (!same_fact(fact, first) || (base && same_fact(fact, facts_at(facts, base, i))))
            continue;
        text_append_char(output, ' ');
        text_append_safe(output, fact->name);
    }
    text_append_char(output, '\n');
}

static void append_name(const char *group, struct text *output)
{
    text_append_char(output, '[');
    text_append_safe_again(output, group);
    text_append_char(output, ']');
}

static void append_group(const struct facts *facts, const char *group, const char *base,
                         struct text *output)
{
    append_name(group, output);
    if (base) {
        text_append(output, " as ");
        append_name(base, output);
    }
    text_append_char(output, '\n');
    for (size_t i = 0; i < facts_count(facts, group); i++) {
        const struct fact *fact = facts_at(facts, group, i);
        if (base && same_fact(fact, facts_at(facts, base, i)))
            continue;
        if (fact->state != FACT_VALUE) {
            append_without_value(facts, group, base, i, output);
            continue;
        }
        text_append_safe(output, fact->name);
        text_append(output, " = ");
        append_value(fact, output);
        text_append_char(output, '\n');
    }
}

#define BASES 8 /* groups before it that are compared */

/* The group before this one that it differs least from; NULL: it has other facts than all. */
static const char *base_of(const struct facts *facts, const struct strlist *written,
                           const char *group)
{
    const char *base = NULL;
    size_t least = SIZE_MAX;
    size_t kind = strcspn(group, "/");
    for (size_t i = written->count; i > 0 && written->count - i < BASES; i--) {
        const char *before = written->items[i - 1];
        size_t differ;
        if (strncmp(before, group, kind + 1) != 0)
            break;
        if (same_names(facts, group, before, &differ) && differ < least) {
            least = differ;
            base = before;
        }
    }
    return base;
}

void record_lines_append(const struct facts *facts, const char *title,
                         bool (*wanted)(const char *group, const void *data), const void *data,
                         struct text *output)
{
    AUTO_STRLIST struct strlist written = {0};
    for (size_t i = 0; i < facts_group_count(facts); i++) {
        const char *group = facts_group_at(facts, i);
        if (wanted && !wanted(group, data))
            continue;
        if (written.count == 0)
            text_printf(output, FIRST_LINE ": %s\n", title);
        append_group(facts, group, strchr(group, '/') ? base_of(facts, &written, group) : NULL,
                     output);
        strlist_add(&written, group);
    }
}

static char *source_of(const struct record_lines *reader)
{
    return mem_printf("%s:%zu", reader->name, reader->line);
}

/* The group's facts become those of the other. */
static void copy_group(struct record_lines *reader, const char *base)
{
    AUTO_FREE char *source = source_of(reader);
    if (string_equal(base, reader->group))
        return;
    for (size_t i = 0; i < facts_count(reader->facts, base); i++) {
        struct fact fact = *facts_at(reader->facts, base, i);
        fact.source = source;
        facts_copy_fact(reader->facts, reader->group, &fact);
    }
}

static bool take_group(struct record_lines *reader, const char *line)
{
    const char *as = strstr(line, "] as [");
    size_t size = strlen(line);
    if (size < 3 || line[size - 1] != ']')
        return false;
    free(reader->group);
    reader->group = mem_string_n(line + 1, as ? (size_t)(as - line) - 1 : size - 2);
    if (as == NULL)
        return true;
    const char *begin = as + strlen("] as [");
    AUTO_FREE char *base = mem_string_n(begin, size - 1 - (size_t)(begin - line));
    copy_group(reader, base);
    return true;
}

#define LINE_MAX_BYTES (1u << 20)

/* The JSON value that text begins with, and where it ends; NULL: none. */
static json_t *leading_json(const char *text, const char **ret_end)
{
    json_error_t problem;
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, &problem);
    if (value)
        *ret_end = text + problem.position;
    return value;
}

/* "- absent: a b", "- unknown "why": a b". */
static bool take_without_value(struct record_lines *reader, const char *line)
{
    bool unknown = string_starts(line, "- unknown "), skipped = string_starts(line, "- skipped ");
    const char *names = line + strlen("- absent");
    AUTO_JSON json_t *reason = NULL;
    if (unknown || skipped) {
        reason = leading_json(line + strlen("- unknown "), &names);
        if (!json_is_string(reason))
            return false;
    } else if (!string_starts(line, "- absent:")) {
        return false;
    }
    if (*names++ != ':')
        return false;
    AUTO_STRLIST struct strlist words = {0};
    AUTO_FREE char *source = source_of(reader);
    strlist_split_words(&words, names);
    for (size_t i = 0; i < words.count; i++) {
        if (unknown)
            facts_set_unknown(reader->facts, reader->group, words.items[i],
                              json_string_value(reason), source);
        else if (skipped)
            facts_set_skipped(reader->facts, reader->group, words.items[i],
                              json_string_value(reason), source);
        else
            facts_set_absent(reader->facts, reader->group, words.items[i], source);
    }
    return true;
}

static bool set_list(struct record_lines *reader, const char *name, const json_t *value,
                     const char *source)
{
    AUTO_STRLIST struct strlist list = {0};
    for (size_t i = 0; i < json_array_size(value); i++) {
        const char *item = json_string_value(json_array_get(value, i));
        if (item == NULL)
            return false;
        strlist_add(&list, item);
    }
    facts_set_list(reader->facts, reader->group, name, &list, source);
    return true;
}

/* "name = value". */
static bool take_value(struct record_lines *reader, const char *line)
{
    const char *equals = strstr(line, " = ");
    if (equals == NULL || strcspn(line, " ") != (size_t)(equals - line))
        return false;
    AUTO_FREE char *name = mem_string_n(line, (size_t)(equals - line));
    AUTO_FREE char *source = source_of(reader);
    const char *text = equals + 3, *end;
    if (string_equal(text, "yes") || string_equal(text, "no")) {
        facts_set_boolean(reader->facts, reader->group, name, *text == 'y', source);
        return true;
    }
    AUTO_JSON json_t *value = leading_json(text, &end);
    if (json_is_array(value))
        return set_list(reader, name, value, source);
    if (json_is_integer(value))
        facts_set_integer(reader->facts, reader->group, name, json_integer_value(value), source);
    else if (json_is_string(value))
        facts_set_string(reader->facts, reader->group, name, json_string_value(value), source);
    return json_is_integer(value) || json_is_string(value);
}

bool record_lines_take(struct record_lines *reader, const char *line)
{
    reader->line++;
    if (string_starts(line, FIRST_LINE)) {
        free(reader->group);
        reader->group = mem_string("");
        reader->parts++;
        return true;
    }
    if (reader->group == NULL || strlen(line) > LINE_MAX_BYTES)
        return false;
    bool taken = line[0] == '['    ? take_group(reader, line)
                 : !*reader->group ? false
                 : line[0] == '-'  ? take_without_value(reader, line)
                                   : take_value(reader, line);
    if (!taken)
        record_lines_end(reader);
    return taken;
}

void record_lines_end(struct record_lines *reader)
{
    free(reader->group);
    reader->group = NULL;
}
