/* SPDX-License-Identifier: MIT */
#include "explain/order.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* A row without a kind is of the kind of the row that it means the same as. */
static const struct manifest_message *row_with_kind(const struct explained *item)
{
    const struct manifest_message *message = item->message;
    return message && message->kind == NULL && item->meant ? item->meant : message;
}

enum explained_rank order_rank_of(const struct explained *item)
{
    const struct manifest_message *message = row_with_kind(item);
    if (message && manifest_message_is(message, "wrapper"))
        return RANK_WRAPPER;
    if (message && manifest_message_is(message, "foreign"))
        return RANK_FOREIGN;
    bool harmless = message ? manifest_message_is(message, "harmless")
                            : item->log && manifest_log_is(item->log, "harmless");
    return harmless ? RANK_HARMLESS : RANK_FAULT;
}

/* "xid-79" is the row "error/xid-79". */
static bool is_row(const struct manifest_error *error, const char *name)
{
    return error != NULL && string_equal(error->id + strlen("error/"), name);
}

static bool has_any(const struct explanation *found, const struct strlist *errors)
{
    for (size_t i = 0; i < found->count; i++)
        for (size_t k = 0; k < errors->count; k++)
            if (is_row(found->items[i].error, errors->items[k]))
                return true;
    return false;
}

static void mark_consequences(struct manifest *manifest, struct explanation *found)
{
    size_t count;
    const struct manifest_consequence *rows = manifest_consequences(manifest, &count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < found->count; k++)
            if (is_row(found->items[k].error, rows[i].error) && has_any(found, &rows[i].of))
                found->items[k].rank = RANK_CONSEQUENCE;
}

static int compare(const void *first, const void *second)
{
    const struct explained *a = first, *b = second;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* What the clues say of one cause. */
enum leaning { NEUTRAL, FIRST, LAST, NEVER };

struct clues {
    const struct manifest_clue *rows;
    size_t count;
    const bool *stand; /* in the text */
};

static enum leaning leaning_of(const struct clues *clues, const char *cause)
{
    enum leaning leaning = NEUTRAL;
    for (size_t i = 0; i < clues->count; i++) {
        const struct manifest_clue *row = &clues->rows[i];
        if (clues->stand[i] && strlist_has(&row->drops, cause))
            return NEVER;
        if (clues->stand[i] && strlist_has(&row->raises, cause))
            leaning = FIRST;
        if (!clues->stand[i] && leaning == NEUTRAL && strlist_has(&row->only, cause))
            leaning = LAST;
    }
    return leaning;
}

static const struct strlist *findings_of(struct manifest *manifest, const struct explained *item)
{
    if (item->meant && (item->meant->findings.count || item->error == NULL))
        return &item->meant->findings;
    if (item->error == NULL)
        return &item->log->findings;
    const struct manifest_likely *likely =
        manifest_likely(manifest, item->error->id + strlen("error/"));
    return likely ? &likely->findings : &item->error->findings;
}

/* The first max of them, as the clues have it. */
static void order_causes(const struct clues *clues, const struct strlist *causes, size_t max,
                         struct strlist *ordered)
{
    static const enum leaning turns[] = {FIRST, NEUTRAL, LAST};
    for (size_t turn = 0; turn < sizeof(turns) / sizeof(*turns); turn++)
        for (size_t i = 0; i < causes->count && ordered->count < max; i++)
            if (leaning_of(clues, causes->items[i]) == turns[turn])
                strlist_add_new(ordered, causes->items[i]);
}

void explanation_order(struct manifest *manifest, const struct strlist *causes,
                       struct strlist *ordered)
{
    struct clues clues = {.rows = NULL};
    clues.rows = manifest_clues(manifest, &clues.count);
    AUTO_FREE bool *stand = mem_alloc((clues.count + 1) * sizeof(*stand));
    clues.stand = stand;
    order_causes(&clues, causes, SIZE_MAX, ordered);
}

static void name_clues(struct manifest *manifest, const struct clues *clues,
                       struct explanation *found)
{
    for (size_t i = 0; i < clues->count; i++) {
        if (!clues->stand[i])
            continue;
        const struct manifest_clue *row = &clues->rows[i];
        bool decided = false;
        for (size_t k = 0; k < found->count && !decided; k++) {
            const struct strlist *findings = findings_of(manifest, &found->items[k]);
            for (size_t n = 0; n < findings->count && !decided; n++)
                decided = strlist_has(&row->raises, findings->items[n]) ||
                          strlist_has(&row->drops, findings->items[n]);
        }
        if (decided)
            strlist_add_new(&found->clues, row->tells);
    }
}

struct vote {
    const char *cause;
    unsigned points;
    size_t place;
};

static int compare_votes(const void *first, const void *second)
{
    const struct vote *a = first, *b = second;
    if (a->points != b->points)
        return a->points > b->points ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* What a message gives to the cause at place of its list: those that several name go first. */
static unsigned points_of(const struct explained *item, bool is_first, size_t place)
{
    static const unsigned weights[RANKS] = {[RANK_FAULT] = 1000,
                                            [RANK_FOREIGN] = 1000,
                                            [RANK_CONSEQUENCE] = 50,
                                            [RANK_WRAPPER] = 300,
                                            [RANK_HARMLESS] = 10};
    return weights[item->rank] * (is_first ? 6 : 5) / 5 / (unsigned)(place + 1);
}

static void sum_up(const struct clues *clues, struct explanation *found)
{
    struct vote *votes = NULL;
    size_t count = 0, capacity = 0;
    for (size_t i = 0; i < found->count; i++)
        for (size_t k = 0; k < found->items[i].findings.count; k++) {
            const char *cause = found->items[i].findings.items[k];
            size_t n = 0;
            while (n < count && !string_equal(votes[n].cause, cause))
                n++;
            if (n == count)
                *vec_push(votes, count, capacity) = (struct vote){.cause = cause, .place = n};
            unsigned points = points_of(&found->items[i], i == 0, k);
            votes[n].points += leaning_of(clues, cause) == LAST ? points / 10 : points;
        }
    for (size_t n = 0; n < count; n++)
        if (leaning_of(clues, votes[n].cause) == FIRST)
            votes[n].points += 1000;
    if (count > 0)
        qsort(votes, count, sizeof(*votes), compare_votes);
    for (size_t n = 0; n < count && votes[n].points > 0 && n < MESSAGE_CAUSES; n++)
        strlist_add(&found->causes, votes[n].cause);
    free(votes);
}

void order_explanation(struct manifest *manifest, const bool *stand, struct explanation *found)
{
    struct clues clues = {.stand = stand};
    clues.rows = manifest_clues(manifest, &clues.count);
    mark_consequences(manifest, found);
    if (found->count > 0)
        qsort(found->items, found->count, sizeof(*found->items), compare);
    for (size_t i = 0; i < found->count; i++)
        order_causes(&clues, findings_of(manifest, &found->items[i]), MESSAGE_CAUSES,
                     &found->items[i].findings);
    name_clues(manifest, &clues, found);
    sum_up(&clues, found);
}
