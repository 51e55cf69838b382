/* SPDX-License-Identifier: MIT */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include "base/strlist.h"

/* How many letters must be put in, taken out, replaced or swapped with their neighbour to make a
 * into b, upper and lower case being one (optimal string alignment). Words longer than
 * NEAREST_WORD_MAX are as far apart as can be: NEAREST_WORD_MAX. */
#define NEAREST_WORD_MAX 64
unsigned nearest_distance(const char *a, const char *b);

/* The candidate that word most likely stands for: at most a third of its letters wrong, or word is
 * how it begins. NULL when none is near. */
const char *nearest_match(const char *word, const struct strlist *candidates);

#endif
