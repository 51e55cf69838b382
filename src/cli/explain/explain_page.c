/* SPDX-License-Identifier: MIT */
#include "cli/explain/explain_page.h"

#include <inttypes.h>

#include "base/wrap.h"
#include "cli/explain/explain.h"

#define WHOLE 3  /* messages that are told whole; the others by one line */
#define SHORT 40 /* messages that have a line */

/* The words of a message or a log line as a row of error.json, which is told as one. */
static struct manifest_error row_of(const struct explained *item,
                                    enum manifest_error_list *ret_list)
{
    struct manifest_error row = {.id = NULL};
    *ret_list = item->error ? item->list : ERRORS_MESSAGE;
    if (item->error) {
        row = *item->error;
        if (item->meant && item->meant->remaining) {
            row.remaining = item->meant->remaining;
            row.command = item->meant->command;
            row.root = item->meant->root;
        }
    } else if (item->meant) {
        const struct manifest_message *meant = item->meant;
        row = (struct manifest_error){.id = meant->id,
                                      .text = item->message->pattern,
                                      .by = item->message->program,
                                      .meaning = meant->meaning,
                                      .fix = meant->fix,
                                      .remaining = meant->remaining,
                                      .command = meant->command,
                                      .root = meant->root,
                                      .source = item->message->source,
                                      .confidence = item->message->confidence,
                                      .meaning_confidence = meant->confidence,
                                      .notes = meant->notes};
    } else {
        row = (struct manifest_error){.id = item->log->id,
                                      .text = item->said,
                                      .by = "the log",
                                      .meaning = item->log->meaning,
                                      .remaining = item->log->remaining,
                                      .command = item->log->command,
                                      .root = item->log->root,
                                      .source = item->log->source,
                                      .confidence = item->log->confidence,
                                      .meaning_confidence = item->log->confidence,
                                      .notes = item->log->notes};
    }
    row.findings = item->findings;
    return row;
}

static const char *rank_words(enum explained_rank rank)
{
    static const char *const words[RANKS] = {
        [RANK_FAULT] = "",
        [RANK_FOREIGN] = " (not NVIDIA's)",
        [RANK_CONSEQUENCE] = " (a consequence of another message)",
        [RANK_WRAPPER] = " (another message has the reason)",
        [RANK_HARMLESS] = " (harmless)",
    };
    return words[rank];
}

/* "line 3", "47 times, in lines 3 to 912" */
static char *place_of(const struct explained *item)
{
    if (item->count == 1)
        return mem_printf("line %" PRIu64, item->first);
    if (item->first == item->last)
        return mem_printf("line %" PRIu64 ", %" PRIu64 " times", item->first, item->count);
    return mem_printf("lines %" PRIu64 " to %" PRIu64 ", %" PRIu64 " times", item->first,
                      item->last, item->count);
}

static void append_list(const struct explanation *explanation, unsigned columns,
                        struct text *output)
{
    text_printf(output,
                "%zu known messages in %" PRIu64 " line%s; causes come before their "
                "consequences\n",
                explanation->count, explanation->lines, explanation->lines == 1 ? "" : "s");
    for (size_t i = 0; i < explanation->count && i < SHORT; i++) {
        const struct explained *item = &explanation->items[i];
        AUTO_FREE char *place = place_of(item);
        struct wrap wrap;
        text_printf(output, "  %2zu. ", i + 1);
        wrap_begin(&wrap, output, columns, 6, 6);
        wrap_printf(&wrap, "%s%s:", place, rank_words(item->rank));
        wrap_words(&wrap, item->said);
        wrap_end(&wrap);
    }
    if (explanation->count > SHORT)
        text_printf(output, "      and %zu more (--json has all)\n", explanation->count - SHORT);
}

static void append_clues(const struct explanation *explanation, unsigned columns,
                         struct text *output)
{
    if (explanation->clues.count == 0)
        return;
    text_append(output, "\nwhat else in the text was used\n");
    for (size_t i = 0; i < explanation->clues.count; i++)
        wrap_paragraph(output, columns, 2, explanation->clues.items[i]);
}

static void append_nothing(const struct explanation *explanation, unsigned columns,
                           struct text *output)
{
    AUTO_FREE char *words =
        mem_printf("no message in this text is known to this manifest (%" PRIu64 " line%s read)",
                   explanation->lines, explanation->lines == 1 ? "" : "s");
    wrap_paragraph(output, columns, 0, words);
    if (explanation->nearest) {
        text_append(output, "\nthe nearest known message\n");
        wrap_paragraph(output, columns, 2, explanation->nearest);
    }
    text_append(output, "\nwhat to do\n");
    wrap_paragraph(output, columns, 2,
                   "give the whole output, from its first error on; or run gpuenv doctor on the "
                   "machine itself");
}

/* The causes of several messages together. */
static void append_causes(const struct explanation *explanation, unsigned columns,
                          struct text *output)
{
    if (explanation->causes.count == 0)
        return;
    explain_causes_text(&explanation->causes, "causes of all messages together, likeliest first",
                        columns, output);
}

/* "the driver" for the log of the kernel, in which the driver's modules print. */
static const char *printer(const struct manifest_message *message)
{
    return string_equal(message->program, "the kernel log") ? "the driver" : message->program;
}

/* The versions of the program that print a message. */
static void append_versions(const struct manifest_message *message, unsigned columns,
                            struct text *output)
{
    if (message == NULL || (message->since == NULL && message->until == NULL))
        return;
    AUTO_FREE char *since =
        message->since ? mem_printf(" since %s", message->since) : mem_string("");
    AUTO_FREE char *until =
        message->until ? mem_printf(" until %s", message->until) : mem_string("");
    AUTO_FREE char *words = mem_printf("%s%s%s", printer(message), since, until);
    text_append(output, "\nprinted by\n");
    wrap_paragraph(output, columns, 2, words);
}

void explain_page_text(struct manifest *manifest, const struct explanation *explanation,
                       unsigned columns, struct text *output)
{
    if (explanation->count == 0) {
        append_nothing(explanation, columns, output);
        return;
    }
    bool several = explanation->count > 1;
    if (several) {
        append_list(explanation, columns, output);
        append_causes(explanation, columns, output);
    }
    append_clues(explanation, columns, output);
    for (size_t i = 0; i < explanation->count && i < WHOLE; i++) {
        enum manifest_error_list list;
        struct manifest_error row = row_of(&explanation->items[i], &list);
        if (several)
            text_printf(output, "\n%zu. ", i + 1);
        else if (output->size > 0)
            text_append(output, "\n");
        explain_error_text(manifest, list, &row, columns, output);
        append_versions(explanation->items[i].message, columns, output);
    }
}

static const char *rank_name(enum explained_rank rank)
{
    static const char *const names[RANKS] = {
        [RANK_FAULT] = "fault",
        [RANK_FOREIGN] = "foreign",
        [RANK_CONSEQUENCE] = "consequence",
        [RANK_WRAPPER] = "wrapper",
        [RANK_HARMLESS] = "harmless",
    };
    return names[rank];
}

static json_t *item_json(struct manifest *manifest, const struct explained *item)
{
    enum manifest_error_list list;
    struct manifest_error row = row_of(item, &list);
    json_t *object = explain_error_json(manifest, list, &row);
    json_object_set_new(object, "rank", json_string(rank_name(item->rank)));
    json_object_set_new(object, "program",
                        json_from_string(item->message ? item->message->program : row.by));
    json_object_set_new(object, "pattern",
                        json_from_string(item->message ? item->message->pattern : row.text));
    AUTO_FREE char *said = string_safe(item->said);
    json_object_set_new(object, "said", json_from_string(said));
    json_object_set_new(object, "count", json_integer((json_int_t)item->count));
    json_object_set_new(object, "first_line", json_integer((json_int_t)item->first));
    json_object_set_new(object, "last_line", json_integer((json_int_t)item->last));
    return object;
}

void explain_page_json(struct manifest *manifest, const struct explanation *explanation,
                       json_t *envelope)
{
    json_t *explained = json_array();
    for (size_t i = 0; i < explanation->count; i++)
        json_array_append_new(explained, item_json(manifest, &explanation->items[i]));
    if (explanation->count > 0)
        json_object_update(envelope, json_array_get(explained, 0));
    json_object_set_new(envelope, "explained", explained);
    json_object_set_new(envelope, "likely", explain_causes_json(&explanation->causes));
    json_set_list(envelope, "clues", &explanation->clues);
    json_object_set_new(envelope, "lines", json_integer((json_int_t)explanation->lines));
    json_object_set_new(envelope, "nearest", json_from_string(explanation->nearest));
}
