/* SPDX-License-Identifier: MIT */
#ifndef BASE_WRAP_H
#define BASE_WRAP_H

#include <stdbool.h>

#include "base/text.h"

/* A paragraph as it is laid out: words go on a line while they fit, and lines after the first
 * begin with indent spaces. A single word is never split. */
struct wrap {
    struct text *output;
    unsigned columns;
    unsigned indent;
    unsigned column; /* where the next character goes */
    bool at_word;    /* a space is due before the next word */
};

/* The paragraph begins at column: what stands before it on the line was written already. */
void wrap_begin(struct wrap *wrap, struct text *output, unsigned columns, unsigned column,
                unsigned indent);

/* Adds the words of string, made safe for a terminal. */
void wrap_words(struct wrap *wrap, const char *string);
void wrap_words_again(struct wrap *wrap, const char *string); /* they were made safe before */
void wrap_printf(struct wrap *wrap, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds string to the line as it is, made safe, and however long: it can be copied whole. */
void wrap_whole(struct wrap *wrap, const char *string);

/* Adds string as one word: on the next line when it does not fit on this one. */
void wrap_unsplit(struct wrap *wrap, const char *string);

/* Ends the paragraph with a newline. */
void wrap_end(struct wrap *wrap);

/* A paragraph of words alone: indent spaces, then string. */
void wrap_paragraph(struct text *output, unsigned columns, unsigned indent, const char *string);

/* How many columns valid UTF-8 takes: one for each character. */
unsigned wrap_width(const char *string, size_t size);

#endif
