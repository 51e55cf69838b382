/* SPDX-License-Identifier: MIT */
#ifndef MATCH_PATTERN_H
#define MATCH_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message as its program prints it: literal text with typed holes, "GPU {address}: {text} failed
 * with {number}". Literal text is compared folded (match/fold.h).
 *
 * A hole is {TYPE}, {TYPE FROM-TO} or {TYPE RELATION}:
 *   number   a decimal number, or a hexadecimal one after 0x
 *   version  580.119.02, 2.1.0+cu118
 *   path     a path
 *   address  0000:01:00.0, 0x7f00
 *   name     a word with - . + / @ in it
 *   symbol   a word of letters, digits and _
 *   text     anything on the same line, up to what follows; at most HOLE_TEXT_MAX bytes
 *   a list   (cuda, nvml …) whatever its owner takes: a number, a name, words
 * FROM-TO bounds a number ("{number 0-52}", "{number 80-}"). RELATION (<, >, =, !) compares a
 * number or version with the hole before it. */

enum hole_type {
    HOLE_NUMBER,
    HOLE_VERSION,
    HOLE_PATH,
    HOLE_ADDRESS,
    HOLE_NAME,
    HOLE_SYMBOL,
    HOLE_TEXT,
    HOLE_LIST, /* of pattern_lists, by its number in list */
};
#define HOLE_TEXT_MAX  200
#define PATTERN_VALUES 8 /* holes of one pattern at most */

struct pattern_part {
    char *literal; /* folded; NULL: a hole */
    enum hole_type hole;
    unsigned list;     /* HOLE_LIST: which */
    uint64_t from, to; /* HOLE_NUMBER: the least and the most */
    char relation;     /* to the hole before; '\0': none */
};

struct pattern {
    struct pattern_part *parts;
    size_t count, capacity;
    size_t weight; /* letters of its literal text: of two patterns in one place the heavier holds */
    bool scattered; /* the parts stand anywhere in one line; none is a hole */
    size_t sought;  /* the part that is looked for: 0 unless it is scattered */
    char *anchor;   /* its letters, at most ANCHOR_MAX; a word's begin is a blank */
};

/* Names of lists, which may be holes, and what takes one at text: how many bytes of it, and which
 * row; 0: nothing. */
struct pattern_lists {
    const char *const *names;
    size_t count;
    size_t (*take)(void *context, unsigned list, const char *text, size_t size, uint32_t *ret_row);
    void *context;
};

/* A hole's bytes, in the text that was searched. */
struct pattern_value {
    const char *bytes;
    size_t size;
    enum hole_type hole;
    unsigned list; /* HOLE_LIST: which, and which row of it */
    uint32_t row;
};
struct pattern_match {
    struct pattern_value values[PATTERN_VALUES];
    size_t count;
    size_t start, end; /* in the text; a {text} at the end is not counted */
};

/* What a pattern may begin with: letters that the automaton looks for. */
#define ANCHOR_MIN 5
#define ANCHOR_MAX 32
/* Bytes that are looked at before and behind the end of an anchor. */
#define PATTERN_REACH 4096

/* Reads a pattern. NULL, or what is wrong with it: a clause. */
const char *pattern_parse(const char *text, const struct pattern_lists *lists,
                          struct pattern *ret_pattern);
/* Parts that all stand in one line, in any order. */
void pattern_scattered(const char *const *parts, size_t count, struct pattern *ret_pattern);
void pattern_free(struct pattern *pattern);

/* Whether the pattern stands in text, where its anchor ends at end. Linear in what it reads, which
 * is bounded: nothing is tried twice. */
bool pattern_matches(const struct pattern *pattern, const struct pattern_lists *lists,
                     const char *text, size_t size, size_t end, struct pattern_match *ret_match);

#endif
