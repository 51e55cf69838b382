/* SPDX-License-Identifier: MIT */
#include "base/nearest.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned nearest_distance(const char *a, const char *b)
{
    size_t length_a = strnlen(a, NEAREST_WORD_MAX);
    size_t length_b = strnlen(b, NEAREST_WORD_MAX);
    if (length_a == NEAREST_WORD_MAX || length_b == NEAREST_WORD_MAX)
        return NEAREST_WORD_MAX;
    unsigned rows[NEAREST_WORD_MAX][NEAREST_WORD_MAX];
    for (size_t i = 0; i <= length_a; i++) {
        for (size_t k = 0; k <= length_b; k++) {
            if (i == 0 || k == 0) {
                rows[i][k] = (unsigned)(i + k);
                continue;
            }
            unsigned cost = same_letter(a[i - 1], b[k - 1]) ? 0 : 1;
            unsigned best = least(rows[i - 1][k] + 1, rows[i][k - 1] + 1);
            best = least(best, rows[i - 1][k - 1] + cost);
            if (i > 1 && k > 1 && same_letter(a[i - 1], b[k - 2]) &&
                same_letter(a[i - 2], b[k - 1]))
                best = least(best, rows[i - 2][k - 2] + 1);
            rows[i][k] = best;
        }
    }
    return rows[length_a][length_b];
}

/* The first candidate that begins with word; count when none does. */
static size_t prefixed_index(const char *word, const struct strlist *candidates)
{
    size_t length = strlen(word);
    for (size_t i = 0; length > 2 && i < candidates->count; i++)
        if (strncasecmp(word, candidates->items[i], length) == 0)
            return i;
    return candidates->count;
}

const char *nearest_match(const char *word, const struct strlist *candidates)
{
    unsigned best = (unsigned)strnlen(word, NEAREST_WORD_MAX) / 3 + 1;
    size_t match = prefixed_index(word, candidates);
    for (size_t i = 0; i < candidates->count; i++) {
        unsigned distance = nearest_distance(word, candidates->items[i]);
        if (distance < best) {
            best = distance;
            match = i;
        }
    }
    return match < candidates->count ? candidates->items[match] : NULL;
}
