/* SPDX-License-Identifier: MIT */
/* What gpuenv itself wrote: facts --json, report as JSON, HTML and Markdown. */
#include "from/from_private.h"

#include "facts/record.h"
#include "facts/record_lines.h"

static bool has_no_value(const struct facts *facts, const char *group, const char *name)
{
    const struct fact *fact = facts_peek(facts, group, name);
    return fact == NULL || fact->state != FACT_VALUE;
}

/* Facts that an earlier file gave a value keep it. */
static void take_facts(struct from *from, const struct facts *facts)
{
    AUTO_FACTS struct facts *before = from->facts;
    from->has_record = true;
    from->facts = facts_new();
    for (size_t i = 0; i < facts_group_count(facts); i++)
        facts_copy_group(from->facts, facts, facts_group_at(facts, i));
    for (size_t i = 0; i < facts_group_count(before); i++) {
        const char *group = facts_group_at(before, i);
        for (size_t k = 0; k < facts_count(before, group); k++) {
            const struct fact *fact = facts_at(before, group, k);
            if (fact->state == FACT_VALUE || has_no_value(from->facts, group, fact->name))
                facts_copy_fact(from->facts, group, fact);
        }
    }
}

/* The lines between the first that has begin and the first after it that has end. */
static char *text_between(const struct from_part *part, const char *begin, const char *end)
{
    size_t first = begin ? from_find(part, part->first, begin) + 1 : part->first;
    AUTO_TEXT struct text text = {0};
    for (size_t i = first; i < part->end; i++) {
        const char *line = part->file->lines[i];
        const char *stop = end ? strstr(line, end) : NULL;
        text_append_n(&text, line, stop ? (size_t)(stop - line) : strlen(line));
        text_append_char(&text, '\n');
        if (stop)
            break;
    }
    return text_steal(&text);
}

static bool begins_json(const struct from_part *part)
{
    const char *line = part->first < part->end ? part->file->lines[part->first] : "";
    return line[strspn(line, " \t\xef\xbb\xbf")] == '{';
}

size_t from_record(struct from_part *part)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FACTS struct facts *facts = NULL;
    AUTO_FREE char *text = NULL;
    if (from_find(part, part->first, "id=\"gpuenv-record\"") < part->end)
        text = text_between(part, "id=\"gpuenv-record\"", "</script>");
    else if (part->title == NULL && begins_json(part))
        text = text_between(part, NULL, NULL);
    if (text) {
        facts = record_load(text, strlen(text), part->file->name, &error);
        if (facts == NULL || facts_group_count(facts) == 0)
            return 0;
        take_facts(part->from, facts);
        return part->end - part->first;
    }
    facts = facts_new();
    struct record_lines reader = {.facts = facts, .name = part->file->name, .line = part->first};
    size_t used = 0, bytes = 0;
    for (size_t i = part->first; i < part->end && bytes < RECORD_MAX; i++) {
        bool taken = record_lines_take(&reader, part->file->lines[i]);
        used += taken;
        bytes += taken ? strlen(part->file->lines[i]) : 0;
    }
    record_lines_end(&reader);
    if (facts_group_count(facts) > 0)
        take_facts(part->from, facts);
    return facts_group_count(facts) > 0 ? used : 0;
}
