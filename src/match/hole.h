/* SPDX-License-Identifier: MIT */
#ifndef MATCH_HOLE_H
#define MATCH_HOLE_H

#include <stdbool.h>

#include "match/pattern.h"

/* Private to match/: what stands in the hole that is the pattern's part number `part`, at *at of
 * text; *at is then behind it, and the value in match. False: nothing that the hole takes. */
bool hole_take(const struct pattern *pattern, size_t part, const struct pattern_lists *lists,
               const char *text, size_t size, size_t *at, struct pattern_match *match);

/* The first place of the folded literal from *at on, at most max bytes further; ret_behind: what
 * follows it. */
bool hole_find(const char *literal, const char *text, size_t size, size_t *at, size_t max,
               size_t *ret_behind);

#endif
