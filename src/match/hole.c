/* SPDX-License-Identifier: MIT */
#include "match/hole.h"

#include <ctype.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/version.h"
#include "match/fold.h"

#define VALUE_MAX 256 /* bytes of a hole that is no text */

static bool is_version(char c)
{
    return isalnum((unsigned char)c) || strchr(".+~-_", c) != NULL;
}

static bool is_path(char c)
{
    return (unsigned char)c > ' ' && strchr("'\"`,;:()<>[]{}|", c) == NULL;
}

static bool is_address(char c)
{
    return isxdigit((unsigned char)c) || c == 'x' || c == ':' || c == '.' || c == '_';
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || strchr("_-.+/@~=", c) != NULL;
}

static bool is_symbol(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* "0x22", "19" */
static size_t number_size(const char *text, size_t size)
{
    bool hexadecimal = size > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    size_t i = hexadecimal ? 2 : 0;
    while (i < size && i < VALUE_MAX &&
           (hexadecimal ? isxdigit((unsigned char)text[i]) : isdigit((unsigned char)text[i])))
        i++;
    return hexadecimal && i == 2 ? 1 : i;
}

/* A full stop, a colon or a hyphen at the end belongs to the sentence. */
static size_t run_size(const char *text, size_t size, bool (*belongs)(char c))
{
    size_t i = 0;
    while (i < size && i < VALUE_MAX && text[i] != '\0' && belongs(text[i]))
        i++;
    while (i > 0 && strchr(".:-", text[i - 1]) != NULL)
        i--;
    return i;
}

/* The blank before a path has eaten its first bytes. */
static size_t path_start(const char *text, size_t at)
{
    while (at > 0 && (text[at - 1] == '/' || text[at - 1] == '~' || text[at - 1] == '.'))
        at--;
    return at;
}

bool hole_find(const char *literal, const char *text, size_t size, size_t *at, size_t max,
               size_t *ret_behind)
{
    size_t last = size - *at > max ? *at + max : size;
    for (size_t here = *at; here <= last; here++) {
        size_t behind = here;
        if (fold_matches(literal, text, size, &behind)) {
            *at = here;
            *ret_behind = behind;
            return true;
        }
    }
    return false;
}

/* Up to what follows in the pattern, or to the end of the line. */
static bool take_text(const struct pattern *pattern, size_t part, const char *text, size_t size,
                      size_t start, size_t *ret_size)
{
    size_t end = start;
    while (end < size && end - start < HOLE_TEXT_MAX && text[end] != '\n' && text[end] != '\v')
        end++;
    if (part + 1 < pattern->count) {
        const char *next = pattern->parts[part + 1].literal;
        size_t behind, at = start;
        if (!hole_find(next, text, size, &at, end - start, &behind))
            return false;
        end = at;
    }
    *ret_size = end - start;
    return true;
}

static uint64_t number_of(const char *text, size_t size)
{
    AUTO_FREE char *digits = mem_string_n(text, size);
    unsigned long long number;
    /* "017" is decimal here */
    if (!string_to_unsigned(digits, &number))
        return UINT64_MAX;
    return number;
}

static int compare(enum hole_type hole, const struct pattern_value *before, const char *text,
                   size_t size)
{
    AUTO_FREE char *first = mem_string_n(before->bytes, before->size);
    AUTO_FREE char *second = mem_string_n(text, size);
    struct version a, b;
    if (hole == HOLE_VERSION && version_parse(first, &a) && version_parse(second, &b))
        return version_compare(&b, &a);
    uint64_t x = number_of(first, before->size);
    uint64_t y = number_of(second, size);
    return y < x ? -1 : y > x;
}

static bool is_related(const struct pattern_part *part, const char *text, size_t size,
                       const struct pattern_match *match)
{
    if (part->relation == '\0')
        return true;
    if (match->count == 0)
        return false;
    int order = compare(part->hole, &match->values[match->count - 1], text, size);
    switch (part->relation) {
    case '<':
        return order < 0;
    case '>':
        return order > 0;
    case '=':
        return order == 0;
    default:
        return order != 0;
    }
}

static bool is_within(const struct pattern_part *part, const char *text, size_t size)
{
    if (part->hole != HOLE_NUMBER || (part->from == 0 && part->to == UINT64_MAX))
        return true;
    uint64_t number = number_of(text, size);
    return number >= part->from && number <= part->to;
}

static size_t size_of(const struct pattern *pattern, size_t part, const char *text, size_t size,
                      size_t start, const struct pattern_lists *lists, uint32_t *ret_row)
{
    const struct pattern_part *hole = &pattern->parts[part];
    size_t taken;
    switch (hole->hole) {
    case HOLE_NUMBER:
        return number_size(text + start, size - start);
    case HOLE_VERSION:
        return run_size(text + start, size - start, is_version);
    case HOLE_PATH:
        return run_size(text + start, size - start, is_path);
    case HOLE_ADDRESS:
        return run_size(text + start, size - start, is_address);
    case HOLE_NAME:
        return run_size(text + start, size - start, is_name);
    case HOLE_SYMBOL:
        return run_size(text + start, size - start, is_symbol);
    case HOLE_LIST:
        return lists->take(lists->context, hole->list, text + start, size - start, ret_row);
    case HOLE_TEXT:
    default:
        return take_text(pattern, part, text, size, start, &taken) ? taken : SIZE_MAX;
    }
}

bool hole_take(const struct pattern *pattern, size_t part, const struct pattern_lists *lists,
               const char *text, size_t size, size_t *at, struct pattern_match *match)
{
    const struct pattern_part *hole = &pattern->parts[part];
    uint32_t row = 0;
    size_t start = hole->hole == HOLE_PATH ? path_start(text, *at) : *at;
    size_t taken = size_of(pattern, part, text, size, start, lists, &row);
    if (taken == SIZE_MAX || (taken == 0 && hole->hole != HOLE_TEXT))
        return false;
    if (!is_within(hole, text + start, taken) || !is_related(hole, text + start, taken, match))
        return false;
    match->values[match->count++] = (struct pattern_value){
        .bytes = text + start, .size = taken, .hole = hole->hole, .list = hole->list, .row = row};
    *at = start + taken;
    return true;
}
