/* SPDX-License-Identifier: MIT */
#include "explain/explanation.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "explain/catalogue.h"
#include "explain/nearest_message.h"
#include "explain/order.h"
#include "match/fold.h"
#include "match/search.h"

#define SAID_MAX    400   /* bytes of a line that are shown */
#define HELD        32    /* messages that another in the same place may still replace */
#define HELD_BEHIND 16384 /* bytes behind which none can */
#define HEAD_MAX    8192  /* of the text, to look for what is near */

/* A message that was found, and may be a part of a longer one. */
struct candidate {
    uint32_t pattern;
    const struct manifest_error *error; /* that stands in a hole */
    enum manifest_error_list list;
    uint64_t start, end, line;
    size_t weight;
    size_t said_size;
    char said[SAID_MAX];
};
struct explainer {
    struct manifest *manifest;
    struct catalogue catalogue;
    struct search *search;
    struct candidate held[HELD];
    size_t held_count;
    bool *clues; /* by number: it stands in the text */
    struct explanation found;
    struct text head;
};

static const struct manifest_error *error_in(const struct explainer *explainer,
                                             const struct search_found *found,
                                             enum manifest_error_list *ret_list)
{
    for (size_t i = 0; i < found->match.count; i++) {
        const struct pattern_value *value = &found->match.values[i];
        if (value->hole != HOLE_LIST)
            continue;
        *ret_list = (enum manifest_error_list)value->list;
        return &explainer->catalogue.words[value->list].rows[value->row];
    }
    return NULL;
}

/* strchr(3) takes a call for each byte of what is said. */
static bool is_white(char byte)
{
    return byte == '\n' || byte == '\v' || byte == '\t' || byte == '\r' || byte == '\0';
}

/* The line that the match begins in, and what it reaches into. */
static void take_said(const struct search_found *found, struct candidate *candidate)
{
    size_t start = found->match.start, end = found->match.end;
    while (start < end && (found->text[start] == '\n' || found->text[start] == ' '))
        start++;
    size_t back = start;
    while (back > 0 && start - back < SAID_MAX / 2 && found->text[back - 1] != '\n')
        back--;
    while (end > start && (found->text[end - 1] == '\n' || found->text[end - 1] == ' '))
        end--;
    while (end < found->size && end - back < SAID_MAX && found->text[end] != '\n')
        end++;
    candidate->said_size = end - back < SAID_MAX ? end - back : SAID_MAX;
    memcpy(candidate->said, found->text + back, candidate->said_size);
    for (size_t i = 0; i < candidate->said_size; i++)
        if (is_white(candidate->said[i]))
            candidate->said[i] = ' ';
}

static const struct manifest_message *meant_by(const struct explainer *explainer,
                                               const struct manifest_message *message)
{
    return message ? manifest_message_meant(explainer->manifest, message) : NULL;
}

/* The one of the same meaning, or a new one. */
static struct explained *item_for(struct explanation *found, const struct explained *wanted)
{
    for (size_t i = 0; i < found->count; i++) {
        struct explained *item = &found->items[i];
        if (wanted->error
                ? item->error == wanted->error
                : item->error == NULL && item->meant == wanted->meant && item->log == wanted->log)
            return item;
    }
    struct explained *item = vec_push(found->items, found->count, found->capacity);
    *item = *wanted;
    return item;
}

/* What the pattern stands for. */
static struct explained wanted_of(const struct explainer *explainer,
                                  const struct candidate *candidate)
{
    const struct catalogue_entry *entry = &explainer->catalogue.entries[candidate->pattern];
    struct explained wanted = {.message = entry->message, .log = entry->log};
    wanted.meant = entry->missed ? entry->missed : meant_by(explainer, entry->message);
    wanted.error = entry->error ? entry->error : candidate->error;
    wanted.list = entry->error ? entry->list : candidate->list;
    if (wanted.meant && wanted.meant->error)
        wanted.error = manifest_error_named(explainer->manifest, wanted.meant->error, &wanted.list);
    else if (entry->error && entry->error->error)
        wanted.error = manifest_error_meant(explainer->manifest, entry->error, &wanted.list);
    else if (wanted.meant && wanted.meant->meaning)
        wanted.error = NULL;
    if (wanted.error)
        wanted.meant = wanted.meant && wanted.meant->findings.count ? wanted.meant : NULL;
    wanted.rank = order_rank_of(&wanted);
    return wanted;
}

static void accept(struct explainer *explainer, const struct candidate *candidate)
{
    struct explained wanted = wanted_of(explainer, candidate);
    struct explained *item = item_for(&explainer->found, &wanted);
    if (item->meant == NULL)
        item->meant = wanted.meant;
    if (wanted.rank < item->rank)
        item->rank = wanted.rank;
    if (item->said == NULL) {
        item->said = mem_string_n(candidate->said, candidate->said_size);
        item->first = candidate->line;
    }
    if (item->last != candidate->line)
        item->count++;
    item->last = candidate->line;
}

static void drop(struct explainer *explainer, size_t index)
{
    struct candidate *held = explainer->held;
    explainer->held_count--;
    memmove(&held[index], &held[index + 1], (explainer->held_count - index) * sizeof(*held));
}

static void accept_first(struct explainer *explainer)
{
    accept(explainer, &explainer->held[0]);
    drop(explainer, 0);
}

static void let_go_before(struct explainer *explainer, uint64_t start)
{
    while (explainer->held_count > 0 && explainer->held[0].end + HELD_BEHIND < start)
        accept_first(explainer);
    if (explainer->held_count == HELD)
        accept_first(explainer);
}

static bool meet(const struct candidate *a, const struct candidate *b)
{
    return a->start < b->end && b->start < a->end;
}

/* Of messages in one place the one that says most. */
static void hold(struct explainer *explainer, const struct candidate *candidate)
{
    struct candidate *held = explainer->held;
    for (size_t i = 0; i < explainer->held_count; i++)
        if (meet(&held[i], candidate) && held[i].weight >= candidate->weight)
            return;
    for (size_t i = explainer->held_count; i-- > 0;)
        if (meet(&held[i], candidate))
            drop(explainer, i);
    held[explainer->held_count++] = *candidate;
}

/* Letters that the pattern says, or those of the error that stands in its hole. */
static size_t said_size(const struct explainer *explainer, const struct search_found *found)
{
    size_t size = explainer->catalogue.patterns[found->pattern].weight;
    for (size_t i = 0; i < found->match.count; i++) {
        const struct pattern_value *value = &found->match.values[i];
        size_t letters = 0;
        for (size_t k = 0; value->hole == HOLE_LIST && k < value->size; k++)
            letters += fold(value->bytes[k]) != ' ';
        if (letters > size)
            size = letters;
    }
    return size;
}

/* A blank between two messages is of neither. */
static void find_place(const struct search_found *found, struct candidate *candidate)
{
    size_t start = found->match.start, end = found->match.end;
    while (start < end && fold(found->text[start]) == ' ')
        start++;
    while (end > start && fold(found->text[end - 1]) == ' ')
        end--;
    candidate->start = found->at + (start - found->match.start);
    candidate->end = found->at + (end - found->match.start);
}

static void take_found(void *context, const struct search_found *found)
{
    struct explainer *explainer = context;
    const struct catalogue_entry *entry = &explainer->catalogue.entries[found->pattern];
    if (entry->clue) {
        explainer->clues[entry->clue_number] = true;
        return;
    }
    struct candidate candidate = {.pattern = found->pattern, .line = found->line};
    candidate.error = error_in(explainer, found, &candidate.list);
    find_place(found, &candidate);
    /* Of two that say the same, the row of message.json orders the causes. */
    const struct manifest_message *row = entry->message;
    bool own = row && (row->error || row->as || row->meaning || row->findings.count > 0);
    candidate.weight = 2 * said_size(explainer, found) + own;
    take_said(found, &candidate);
    let_go_before(explainer, candidate.start);
    hold(explainer, &candidate);
}

struct explainer *explainer_new(struct manifest *manifest)
{
    struct explainer *explainer = mem_alloc(sizeof(*explainer));
    size_t clues;
    explainer->manifest = manifest;
    catalogue_read(manifest, &explainer->catalogue);
    manifest_clues(manifest, &clues);
    explainer->clues = mem_alloc((clues + 1) * sizeof(*explainer->clues));
    explainer->search = search_new(explainer->catalogue.patterns, explainer->catalogue.count,
                                   &explainer->catalogue.lists, take_found, explainer);
    return explainer;
}

void explainer_free(struct explainer *explainer)
{
    if (explainer == NULL)
        return;
    search_free(explainer->search);
    catalogue_free(&explainer->catalogue);
    explanation_free(&explainer->found);
    text_free(&explainer->head);
    free(explainer->clues);
    free(explainer);
}

void explainer_feed(struct explainer *explainer, const char *bytes, size_t size)
{
    size_t room = HEAD_MAX - explainer->head.size;
    text_append_n(&explainer->head, bytes, size < room ? size : room);
    search_feed(explainer->search, bytes, size);
}

/* A piece of a message, as an argument often is. */
static void take_part(struct explainer *explainer)
{
    const struct manifest_message *row =
        explainer->found.lines > 1
            ? NULL
            : message_with_part(explainer->manifest, text_string(&explainer->head));
    if (row == NULL)
        return;
    struct candidate candidate = {.line = 1};
    while (explainer->catalogue.entries[candidate.pattern].message != row)
        if (++candidate.pattern == explainer->catalogue.entry_count)
            return;
    size_t size = explainer->head.size;
    candidate.said_size = size < SAID_MAX ? size : SAID_MAX;
    memcpy(candidate.said, explainer->head.data, candidate.said_size);
    accept(explainer, &candidate);
}

static void restart(struct explainer *explainer)
{
    size_t clues;
    manifest_clues(explainer->manifest, &clues);
    memset(explainer->clues, 0, clues * sizeof(*explainer->clues));
    explainer->found = (struct explanation){.items = NULL};
    text_clear(&explainer->head);
    search_restart(explainer->search);
}

void explainer_end(struct explainer *explainer, struct explanation *ret_explanation)
{
    search_end(explainer->search);
    while (explainer->held_count > 0)
        accept_first(explainer);
    explainer->found.lines = search_lines(explainer->search);
    if (explainer->found.count == 0)
        take_part(explainer);
    order_explanation(explainer->manifest, explainer->clues, &explainer->found);
    if (explainer->found.count == 0)
        explainer->found.nearest =
            nearest_message(explainer->manifest, text_string(&explainer->head));
    *ret_explanation = explainer->found;
    restart(explainer);
}

void explanation_free(struct explanation *explanation)
{
    for (size_t i = 0; i < explanation->count; i++) {
        free(explanation->items[i].said);
        strlist_free(&explanation->items[i].findings);
    }
    free(explanation->items);
    strlist_free(&explanation->clues);
    strlist_free(&explanation->causes);
    free(explanation->nearest);
    *explanation = (struct explanation){.items = NULL};
}
