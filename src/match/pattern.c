/* SPDX-License-Identifier: MIT */
#include "match/pattern.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "match/fold.h"
#include "match/hole.h"

static const char *const hole_names[] = {
    [HOLE_NUMBER] = "number",   [HOLE_VERSION] = "version", [HOLE_PATH] = "path",
    [HOLE_ADDRESS] = "address", [HOLE_NAME] = "name",       [HOLE_SYMBOL] = "symbol",
    [HOLE_TEXT] = "text",
};

static bool read_type(const char *word, const struct pattern_lists *lists,
                      struct pattern_part *part)
{
    for (enum hole_type type = HOLE_NUMBER; type < HOLE_LIST; type++)
        if (string_equal(word, hole_names[type])) {
            part->hole = type;
            return true;
        }
    part->hole = HOLE_LIST;
    for (part->list = 0; lists && part->list < lists->count; part->list++)
        if (string_equal(word, lists->names[part->list]))
            return true;
    return false;
}

/* "0-52", "80-" */
static bool read_bounds(char *bounds, struct pattern_part *part)
{
    unsigned long long from, to = UINT64_MAX;
    char *hyphen = strchr(bounds, '-');
    if (hyphen == NULL)
        return false;
    *hyphen = '\0';
    if (!string_to_unsigned(bounds, &from) ||
        (hyphen[1] != '\0' && !string_to_unsigned(hyphen + 1, &to)))
        return false;
    part->from = from;
    part->to = to;
    return from <= to;
}

static const char *read_hole(const struct pattern *pattern, char *words,
                             const struct pattern_lists *lists, struct pattern_part *part)
{
    char *rest = strchr(words, ' ');
    if (rest != NULL)
        *rest++ = '\0';
    part->to = UINT64_MAX;
    if (!read_type(words, lists, part))
        return "a hole has a type such as {number}";
    if (pattern->count > 0 && pattern->parts[pattern->count - 1].literal == NULL)
        return "two holes have text between them";
    if (rest == NULL)
        return NULL;
    bool compared = part->hole == HOLE_NUMBER || part->hole == HOLE_VERSION;
    if (compared && strlen(rest) == 1 && strchr("<>=!", *rest) != NULL) {
        part->relation = *rest;
        return NULL;
    }
    return part->hole == HOLE_NUMBER && read_bounds(rest, part)
               ? NULL
               : "behind a hole's type stand bounds such as 0-52, or a relation such as <";
}

static void add_literal(struct pattern *pattern, const char *bytes, size_t size)
{
    AUTO_FREE char *literal = mem_string_n(bytes, size);
    struct pattern_part *part = vec_push(pattern->parts, pattern->count, pattern->capacity);
    *part = (struct pattern_part){.literal = fold_text(literal)};
    for (const char *c = part->literal; *c != '\0'; c++)
        pattern->weight += *c != ' ';
}

static void set_anchor(struct pattern *pattern)
{
    const char *literal = pattern->parts[pattern->sought].literal;
    bool is_word = *literal != ' ' && !pattern->scattered;
    AUTO_FREE char *anchor = mem_printf("%s%s", is_word ? " " : "", literal);
    size_t size = strlen(anchor);
    pattern->anchor = mem_string_n(anchor, size < ANCHOR_MAX ? size : ANCHOR_MAX);
}

static const char *parse(const char *text, const struct pattern_lists *lists,
                         struct pattern *pattern)
{
    size_t holes = 0;
    for (const char *at = text; *at != '\0';) {
        size_t size = strcspn(at, "{");
        if (size > 0)
            add_literal(pattern, at, size);
        at += size;
        if (*at == '\0')
            break;
        size = strcspn(at, "}");
        if (at[size] != '}')
            return "a hole ends with }";
        if (++holes > PATTERN_VALUES)
            return "a pattern has at most eight holes";
        AUTO_FREE char *words = mem_string_n(at + 1, size - 1);
        struct pattern_part part = {.literal = NULL};
        const char *problem = read_hole(pattern, words, lists, &part);
        if (problem != NULL)
            return problem;
        *vec_push(pattern->parts, pattern->count, pattern->capacity) = part;
        at += size + 1;
    }
    if (pattern->count > 0 && pattern->parts[0].literal)
        set_anchor(pattern);
    return pattern->anchor != NULL && strlen(pattern->anchor) >= ANCHOR_MIN
               ? NULL
               : "a pattern begins with at least 5 letters of text";
}

const char *pattern_parse(const char *text, const struct pattern_lists *lists,
                          struct pattern *ret_pattern)
{
    *ret_pattern = (struct pattern){.parts = NULL};
    const char *problem = parse(text, lists, ret_pattern);
    if (problem != NULL)
        pattern_free(ret_pattern);
    return problem;
}

void pattern_scattered(const char *const *parts, size_t count, struct pattern *ret_pattern)
{
    *ret_pattern = (struct pattern){.scattered = true};
    for (size_t i = 0; i < count; i++) {
        add_literal(ret_pattern, parts[i], strlen(parts[i]));
        if (strlen(ret_pattern->parts[i].literal) >
            strlen(ret_pattern->parts[ret_pattern->sought].literal))
            ret_pattern->sought = i;
    }
    if (count > 0)
        set_anchor(ret_pattern);
}

void pattern_free(struct pattern *pattern)
{
    for (size_t i = 0; i < pattern->count; i++)
        free(pattern->parts[i].literal);
    free(pattern->parts);
    free(pattern->anchor);
    *pattern = (struct pattern){.parts = NULL};
}

/* Where the anchor that ends at end begins: its letters are walked back. */
static size_t anchor_start(const char *anchor, const char *text, size_t end)
{
    size_t at = end;
    size_t least = end > PATTERN_REACH ? end - PATTERN_REACH : 0;
    for (size_t i = strlen(anchor); i > 0 && at > least; i--) {
        at--;
        while (anchor[i - 1] == ' ' && at > least && fold(text[at - 1]) == ' ')
            at--;
    }
    return at;
}

static void line_of(const char *text, size_t size, size_t at, size_t *ret_start, size_t *ret_end)
{
    size_t start = at, end = at;
    while (start > 0 && at - start < PATTERN_REACH && text[start - 1] != '\n')
        start--;
    while (end < size && end - at < PATTERN_REACH && text[end] != '\n')
        end++;
    *ret_start = start;
    *ret_end = end;
}

static bool scattered_match(const struct pattern *pattern, const char *text, size_t size,
                            size_t end, struct pattern_match *match)
{
    size_t start;
    line_of(text, size, end > 0 && text[end - 1] == '\n' ? end - 1 : end, &start, &size);
    match->start = start;
    match->end = end > size ? size : end;
    for (size_t i = 0; i < pattern->count; i++) {
        size_t at = start, behind;
        if (i != pattern->sought &&
            !hole_find(pattern->parts[i].literal, text, size, &at, size - start, &behind))
            return false;
    }
    return true;
}

/* The literal's letters that are no part of the anchor, at *at. */
static bool rest_matches(const struct pattern *pattern, size_t anchor_size, const char *text,
                         size_t size, size_t *at)
{
    const char *literal = pattern->parts[0].literal;
    size_t matched = anchor_size - (*literal != ' ');
    return fold_matches(literal + matched, text, size, at);
}

bool pattern_matches(const struct pattern *pattern, const struct pattern_lists *lists,
                     const char *text, size_t size, size_t end, struct pattern_match *ret_match)
{
    *ret_match = (struct pattern_match){.count = 0};
    if (size > end + PATTERN_REACH)
        size = end + PATTERN_REACH;
    if (pattern->scattered)
        return scattered_match(pattern, text, size, end, ret_match);
    const char *anchor = pattern->anchor;
    size_t at = end;
    size_t anchor_size = strlen(anchor);
    if (anchor[anchor_size - 1] == ' ')
        while (at < size && fold(text[at]) == ' ')
            at++;
    if (!rest_matches(pattern, anchor_size, text, size, &at))
        return false;
    size_t last_end = at;
    for (size_t i = 1; i < pattern->count; i++) {
        const struct pattern_part *part = &pattern->parts[i];
        if (part->literal ? !fold_matches(part->literal, text, size, &at)
                          : !hole_take(pattern, i, lists, text, size, &at, ret_match))
            return false;
        if (part->literal || part->hole != HOLE_TEXT)
            last_end = at;
    }
    const char *last = pattern->parts[pattern->count - 1].literal;
    if (last != NULL && *last != '\0' && last[strlen(last) - 1] != ' ' && at < size &&
        fold(text[at]) != ' ')
        return false;
    ret_match->start = anchor_start(anchor, text, end);
    ret_match->end = last_end;
    return true;
}
