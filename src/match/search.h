/* SPDX-License-Identifier: MIT */
#ifndef MATCH_SEARCH_H
#define MATCH_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "match/pattern.h"

/* Patterns looked for in a text of any size, which is given piece by piece. Memory is bounded; time
 * is linear in the text. Lines are read without their prefixes (match/clean.h), and a pattern may
 * go on in the next lines. */

struct search;

/* Of what was found: which pattern, in which line (from 1 on), and where in text, which holds the
 * lines around it. It is valid during the call alone. */
struct search_found {
    uint32_t pattern;
    uint64_t line;
    uint64_t at; /* of the match's start in the whole text, as it was read */
    const char *text;
    size_t size;
    struct pattern_match match;
};
typedef void search_each(void *context, const struct search_found *found);

/* The patterns are the caller's and outlive it; those without an anchor are left out. */
struct search *search_new(const struct pattern *patterns, size_t count,
                          const struct pattern_lists *lists, search_each *each, void *context);
void search_free(struct search *search);

void search_feed(struct search *search, const char *bytes, size_t size);
/* Behind the last piece. */
void search_end(struct search *search);

/* How many lines were read. */
uint64_t search_lines(const struct search *search);

/* What is given next is another text. */
void search_restart(struct search *search);

#endif
