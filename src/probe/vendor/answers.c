/* SPDX-License-Identifier: MIT */
#include "probe/vendor/answers.h"

#include <string.h>

#include "facts/dictionary.h"
#include "facts/record.h"

/* Sends the one fact that facts holds and frees them. */
static void answer_send(struct channel *channel, const char *group, const char *name,
                        struct facts *facts)
{
    AUTO_JSON json_t *line = record_fact_to_json(facts_get(facts, group, name));
    json_object_set_new(line, "group", json_from_string(group));
    json_object_set_new(line, "name", json_from_string(name));
    AUTO_FREE char *text = json_dumps(line, JSON_COMPACT | JSON_ENSURE_ASCII);
    if (text)
        channel_answer(channel, text);
    facts_free(facts);
}

void answer_string(struct channel *channel, const char *group, const char *name, const char *value,
                   const char *source)
{
    struct facts *facts = facts_new();
    facts_set_string(facts, group, name, value, source);
    answer_send(channel, group, name, facts);
}

void answer_integer(struct channel *channel, const char *group, const char *name, int64_t value,
                    const char *source)
{
    struct facts *facts = facts_new();
    facts_set_integer(facts, group, name, value, source);
    answer_send(channel, group, name, facts);
}

void answer_boolean(struct channel *channel, const char *group, const char *name, bool value,
                    const char *source)
{
    struct facts *facts = facts_new();
    facts_set_boolean(facts, group, name, value, source);
    answer_send(channel, group, name, facts);
}

void answer_list(struct channel *channel, const char *group, const char *name,
                 const struct strlist *value, const char *source)
{
    struct facts *facts = facts_new();
    facts_set_list(facts, group, name, value, source);
    answer_send(channel, group, name, facts);
}

void answer_absent(struct channel *channel, const char *group, const char *name, const char *source)
{
    answer_string(channel, group, name, NULL, source);
}

void answer_unknown(struct channel *channel, const char *group, const char *name,
                    const char *reason, const char *source)
{
    struct facts *facts = facts_new();
    facts_set_unknown(facts, group, name, reason, source);
    answer_send(channel, group, name, facts);
}

static bool any_group(const char *group)
{
    (void)group;
    return true;
}

/* A group's name as facts_group_name() would have made it. */
static bool is_safe(const char *group)
{
    AUTO_TEXT struct text safe = {0};
    text_append_safe_again(&safe, group);
    return string_equal(text_string(&safe), group);
}

/* Room for one more instance of the kind, or the group is there already. */
static bool has_room(const struct facts *facts, const char *kind, const char *group)
{
    size_t count = 0;
    size_t cursor = 0;
    for (const char *found; (found = facts_next(facts, kind, &cursor)); count++)
        if (string_equal(found, group))
            return true;
    return count < ANSWER_INSTANCES;
}

static bool group_allowed(const struct vendor_question *question, const char *own,
                          const char *group, const struct facts *facts)
{
    if (string_equal(group, own))
        return true;
    const struct fact_kind *found = dictionary_kind(group);
    for (size_t i = 0; found && question->kinds && question->kinds[i]; i++)
        if (string_equal(found->kind, question->kinds[i]))
            return string_equal(group, found->kind) ||
                   (is_safe(group) && has_room(facts, found->kind, group));
    return false;
}

/* As the dictionary has it; and skipped is for the parent to say. */
static bool fact_allowed(const struct fact *fact, const char *group, const char *name)
{
    const struct fact_entry *entry = dictionary_entry(group, name);
    return entry && fact->state != FACT_SKIPPED &&
           (fact->state != FACT_VALUE || fact->type == entry->type);
}

static bool take_line(const char *line, size_t size, const struct vendor_question *question,
                      const char *own, struct facts *facts)
{
    AUTO_JSON json_t *object = json_parse(line, size, ANSWER_LINE_MAX, own, NULL);
    const char *group = json_string_value(json_object_get(object, "group"));
    const char *name = json_string_value(json_object_get(object, "name"));
    if (group == NULL || name == NULL || !group_allowed(question, own, group, facts))
        return false;
    AUTO_FACTS struct facts *one = facts_new();
    if (!record_fact_from_json(one, group, name, object) ||
        !fact_allowed(facts_get(one, group, name), group, name))
        return false;
    facts_copy(facts, one, any_group);
    return true;
}

size_t answers_take(const struct text *answers, const struct vendor_question *question,
                    const char *group, struct facts *facts)
{
    size_t thrown_away = 0;
    const char *line = text_string(answers);
    const char *end = line + answers->size;
    while (line < end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *next = newline ? newline : end;
        thrown_away += !take_line(line, (size_t)(next - line), question, group, facts);
        line = next + 1;
    }
    return thrown_away;
}
