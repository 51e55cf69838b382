/* SPDX-License-Identifier: MIT */
#include "report/share/share.h"

#include <string.h>

#include "facts/record.h"
#include "facts/redact.h"
#include "report/machine/framework_list.h"
#include "report/machine/gpu_list.h"
#include "report/machine/summary.h"
#include "rules/engine/finding.h"

char *share_verdict(const struct report_input *input)
{
    struct report_input plain = *input;
    AUTO_TEXT struct text text = {0};
    plain.colour = false;
    plain.columns = 1000;
    report_verdict_line(&plain, &text);
    return mem_string(string_trim(text.data));
}

static void add_row(const char *label, const char *row, struct strlist *labels,
                    struct strlist *words)
{
    if (*row == '\0')
        return;
    strlist_add(labels, label);
    strlist_add(words, row);
}

static void add_block(const struct report_input *input, enum block block, struct strlist *labels,
                      struct strlist *words)
{
    AUTO_TEXT struct text sentence = {0};
    AUTO_STRLIST struct strlist sources = {0};
    summary_append(input, block, &sentence, &sources);
    add_row(block_name(block), text_string(&sentence), labels, words);
}

void share_rows(const struct report_input *input, struct strlist *labels, struct strlist *words)
{
    AUTO_TEXT struct text machine = {0};
    AUTO_STRLIST struct strlist lines = {0};
    const struct judgement *judgement = input->judgement;
    add_block(input, BLOCK_DRIVER, labels, words);
    gpu_list_kinds(input->facts, &lines);
    for (size_t i = 0; i < lines.count; i++)
        add_row(block_name(BLOCK_GPU), lines.items[i], labels, words);
    if (lines.count == 0)
        add_block(input, BLOCK_GPU, labels, words);
    add_block(input, BLOCK_CUDA, labels, words);
    add_block(input, BLOCK_CUDNN, labels, words);
    strlist_free(&lines);
    framework_list_lines(input->facts, &lines);
    for (size_t i = 0; i < lines.count; i++)
        add_row(block_name(BLOCK_FRAMEWORKS), lines.items[i], labels, words);
    summary_append_machine(input, &machine);
    add_row("Machine", text_string(&machine), labels, words);
    AUTO_FREE char *purpose =
        mem_printf("%s (%s)", purpose_name(judgement->purpose),
                   judgement->purpose_reason ? judgement->purpose_reason : "");
    add_row("Profile", purpose, labels, words);
}

char *share_hidden(const struct report_input *input)
{
    AUTO_TEXT struct text words = {0};
    for (enum redacted kind = 0; input->redaction && kind < REDACTED_COUNT; kind++) {
        size_t count = redaction_count(input->redaction, kind);
        if (count == 0)
            continue;
        const char *word = redaction_word(kind);
        text_printf(&words, "%s%zu %s%s", words.size > 0 ? ", " : "", count, word,
                    count == 1                                        ? ""
                    : word[0] && strchr("sx", word[strlen(word) - 1]) ? "es"
                                                                      : "s");
    }
    if (input->redaction == NULL)
        return mem_string("Nothing was replaced (--no-redact).");
    return words.size > 0 ? mem_printf("Replaced by stand-ins: %s.", text_string(&words))
                          : mem_string("Nothing had to be replaced by stand-ins.");
}

void share_undecided(const struct report_input *input, struct strlist *lines)
{
    const struct judgement *judgement = input->judgement;
    AUTO_STRLIST struct strlist reasons = {0};
    for (size_t i = 0; i < judgement->check_count; i++) {
        const struct check *check = &judgement->checks[i];
        const char *reason = check->reason ? check->reason : "no reason given";
        if (check->status == CHECK_UNKNOWN && strlist_add_new(&reasons, reason))
            strlist_take(lines, mem_printf("%s: %s", check->code, reason));
    }
}

json_t *share_json(const struct report_input *input)
{
    json_t *document = report_envelope(input);
    json_object_set_new(document, "redacted", json_boolean(input->redaction != NULL));
    json_object_set_new(document, "facts", record_to_json(input->facts));
    return document;
}
