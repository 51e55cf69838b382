/* SPDX-License-Identifier: MIT */
/* Any bytes as a file for doctor --from. Whatever is read has the types of the dictionary and a
 * source; it stays the same as lines of a record; and it is redacted in one step: what a redaction
 * has made, another leaves alone. */
#include "fuzz.h"

#include <string.h>

#include "facts/record.h"
#include "facts/record_lines.h"
#include "facts/redact.h"
#include "from/from.h"
#include "from_check.h"

static json_t *values_of(const struct facts *facts)
{
    json_t *values = json_object();
    for (size_t i = 0; i < facts_group_count(facts); i++) {
        const char *group = facts_group_at(facts, i);
        json_t *object = json_object();
        for (size_t k = 0; k < facts_count(facts, group); k++) {
            json_t *fact = record_fact_to_json(facts_at(facts, group, k));
            json_object_del(fact, "source");
            json_object_del(fact, "bytes"); /* a record of lines is text */
            json_object_set_new(object, facts_at(facts, group, k)->name, fact);
        }
        json_object_set_new(values, group, object);
    }
    return values;
}

static void check_same(const struct facts *a, const struct facts *b)
{
    AUTO_JSON json_t *one = values_of(a);
    AUTO_JSON json_t *other = values_of(b);
    if (!json_equal(one, other))
        abort();
}

static struct facts *redact(const struct facts *facts)
{
    AUTO_REDACTION struct redaction *redaction = redaction_new();
    return redaction_facts(redaction, facts);
}

/* Without the hundreds of facts that were not sent. */
static struct facts *values_alone(const struct facts *facts)
{
    struct facts *values = facts_new();
    for (size_t i = 0; i < facts_group_count(facts); i++) {
        const char *group = facts_group_at(facts, i);
        for (size_t k = 0; k < facts_count(facts, group); k++)
            if (facts_at(facts, group, k)->state == FACT_VALUE)
                facts_copy_fact(values, group, facts_at(facts, group, k));
    }
    return values;
}

/* A record of gpuenv's own may hold anything: it is no reader's work. */
static bool is_record(const struct strlist *read)
{
    return read->count > 0 && strstr(read->items[0], "gpuenv record");
}

static void check_lines(const struct facts *facts)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FACTS struct facts *again = facts_new();
    record_lines_append(facts, "all", NULL, NULL, &text);
    struct record_lines reader = {.facts = again, .name = "lines"};
    char *cursor = text.data;
    for (const char *line; cursor && (line = string_next_line(&cursor)) != NULL;)
        if (!record_lines_take(&reader, line))
            abort();
    record_lines_end(&reader);
    check_same(facts, again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FROM struct from *from = from_new();
    if (!from_add(from, "f", (const char *)data, size, &error))
        return 0;
    bool record = is_record(from_read(from));
    AUTO_FACTS struct facts *facts = from_facts(from);
    if (!record)
        from_check_facts(facts);
    AUTO_FACTS struct facts *read = values_alone(facts);
    AUTO_FACTS struct facts *hidden = redact(read);
    AUTO_FACTS struct facts *again = redact(hidden);
    if (!record) {
        check_lines(hidden);
        check_same(hidden, again);
    }
    return 0;
}
