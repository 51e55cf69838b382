/* SPDX-License-Identifier: MIT */
/* Any bytes over the pipe of a child that asked a vendor library: lines taken apart, then facts.
 * How they are cut makes no difference; a fact that is taken is one that this question may answer,
 * and stays the same when it is written and read as a record. The first byte says which question,
 * and how the bytes are cut. */
#include "fuzz.h"

#include <string.h>

#include "base/path.h"
#include "facts/dictionary.h"
#include "facts/record.h"
#include "host/child/asking_private.h"
#include "probe/vendor/answers.h"

#define OWN "answer/libx.so.1"

static void check_lines(const struct asking_lines *a, const struct asking_lines *b,
                        const struct text *answers, const struct text *others)
{
    if (a->done != b->done || a->overflow != b->overflow || !string_equal(a->step, b->step) ||
        !string_equal(a->refused, b->refused) || answers->size != others->size ||
        memcmp(text_string(answers), text_string(others), answers->size) != 0)
        abort();
    if (answers->size > ASKING_ANSWERS_MAX || (a->step && strlen(a->step) > ASKING_STEP_MAX) ||
        (a->refused && strlen(a->refused) > ASKING_STEP_MAX))
        abort();
}

static bool is_of(const char *group, const struct vendor_question *question)
{
    if (string_equal(group, OWN))
        return true;
    const struct fact_kind *kind = dictionary_kind(group);
    for (size_t i = 0; kind && question->kinds && question->kinds[i]; i++)
        if (string_equal(kind->kind, question->kinds[i]))
            return true;
    return false;
}

static void check_facts(const struct facts *facts, const struct vendor_question *question)
{
    for (size_t i = 0; i < facts_group_count(facts); i++) {
        const char *group = facts_group_at(facts, i);
        AUTO_TEXT struct text safe = {0};
        text_append_safe_again(&safe, group); /* a name may have been made safe before */
        if (!is_of(group, question) || !string_equal(text_string(&safe), group))
            abort();
        for (size_t k = 0; k < facts_count(facts, group); k++) {
            const struct fact *fact = facts_at(facts, group, k);
            const struct fact_entry *entry = dictionary_entry(group, fact->name);
            if (entry == NULL || fact->state == FACT_SKIPPED || fact->source == NULL ||
                (fact->state == FACT_UNKNOWN) != (fact->reason != NULL) ||
                (fact->state == FACT_VALUE && fact->type != entry->type))
                abort();
        }
    }
    for (size_t i = 0; question->kinds && question->kinds[i]; i++) {
        size_t count = 0, cursor = 0;
        while (facts_next(facts, question->kinds[i], &cursor))
            count++;
        if (count > ANSWER_INSTANCES)
            abort();
    }
}

static void check_record(const struct facts *facts)
{
    AUTO_JSON json_t *json = record_to_json(facts);
    AUTO_FREE char *text = json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII);
    if (text == NULL)
        abort();
    AUTO_FACTS struct facts *again = record_load(text, strlen(text), "fuzz", NULL);
    if (again == NULL)
        abort();
    AUTO_JSON json_t *json_again = record_to_json(again);
    if (!json_equal(json, json_again))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t questions = 0;
    AUTO_LINES struct asking_lines whole = {.done = false};
    AUTO_LINES struct asking_lines parts = {.done = false};
    AUTO_TEXT struct text answers = {0};
    AUTO_TEXT struct text others = {0};
    if (size == 0)
        return 0;
    while (vendor_questions[questions].family)
        questions++;
    const struct vendor_question *question = &vendor_questions[data[0] % questions];
    const char *bytes = (const char *)data + 1;
    size_t piece = 1 + data[0] / questions;
    asking_lines_take(&whole, bytes, --size, &answers);
    for (size_t at = 0; at < size; at += piece)
        asking_lines_take(&parts, bytes + at, size - at < piece ? size - at : piece, &others);
    check_lines(&whole, &parts, &answers, &others);
    AUTO_FACTS struct facts *facts = facts_new();
    answers_take(&answers, question, OWN, facts);
    check_facts(facts, question);
    check_record(facts);
    return 0;
}
