/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "base/wrap.h"
#include "facts/dictionary.h"
#include "report/formats.h"

#define NAME_COLUMNS 20 /* names are padded to this, which all but a few fit in */

static void append_value(const struct fact *fact, struct wrap *wrap)
{
    switch (fact->type) {
    case FACT_STRING:
        wrap_words(wrap, fact->string[0] ? fact->string : "(empty)");
        break;
    case FACT_INTEGER:
        wrap_printf(wrap, "%" PRId64, fact->integer);
        break;
    case FACT_BOOLEAN:
        wrap_words(wrap, fact->boolean ? "yes" : "no");
        break;
    case FACT_LIST:
        if (fact->list.count == 0)
            wrap_words(wrap, "(none)");
        for (size_t i = 0; i < fact->list.count; i++)
            wrap_printf(wrap, "%s%s", fact->list.items[i], i + 1 < fact->list.count ? "," : "");
        break;
    }
}

static void append_state(const struct fact *fact, struct wrap *wrap)
{
    switch (fact->state) {
    case FACT_VALUE:
        append_value(fact, wrap);
        break;
    case FACT_ABSENT:
        wrap_words(wrap, "absent");
        break;
    case FACT_UNKNOWN:
        wrap_printf(wrap, "unknown: %s", fact->reason);
        break;
    case FACT_SKIPPED:
        wrap_printf(wrap, "skipped: %s", fact->reason);
        break;
    }
}

static void append_fact(const struct report_input *input, const char *group,
                        const struct fact *fact, struct text *output)
{
    AUTO_FREE char *name = string_safe(fact->name);
    struct wrap wrap;
    text_printf(output, "  %-*s", NAME_COLUMNS - 2, name);
    unsigned column = 2 + wrap_width(name, strlen(name));
    wrap_begin(&wrap, output, input->columns, column < NAME_COLUMNS ? NAME_COLUMNS : column,
               NAME_COLUMNS + 1);
    wrap.at_word = true;
    append_state(fact, &wrap);
    wrap_printf(&wrap, "[%s]", fact->source);
    wrap_end(&wrap);
    const struct fact_entry *entry = dictionary_entry(group, fact->name);
    if (input->verbose && entry)
        wrap_paragraph(output, input->columns, NAME_COLUMNS + 1, entry->meaning);
}

/* With --quiet only what has a value, or should have one. */
static bool fact_shown(const struct report_input *input, const struct fact *fact)
{
    return !input->quiet || fact->state == FACT_VALUE || fact->state == FACT_UNKNOWN;
}

static bool group_shown(const struct report_input *input, const char *group)
{
    for (size_t i = 0; i < facts_count(input->facts, group); i++)
        if (fact_shown(input, facts_at(input->facts, group, i)))
            return true;
    return false;
}

void report_facts_text(const struct report_input *input, struct text *output)
{
    for (size_t i = 0; i < facts_group_count(input->facts); i++) {
        const char *group = facts_group_at(input->facts, i);
        if (!group_shown(input, group))
            continue;
        if (output->size > 0)
            text_append_char(output, '\n');
        text_append_safe_again(output, group);
        text_append_char(output, '\n');
        for (size_t k = 0; k < facts_count(input->facts, group); k++) {
            const struct fact *fact = facts_at(input->facts, group, k);
            if (fact_shown(input, fact))
                append_fact(input, group, fact, output);
        }
    }
}
