/* SPDX-License-Identifier: MIT */
#ifndef MATCH_FOLD_H
#define MATCH_FOLD_H

#include <stdbool.h>
#include <stddef.h>

/* A text as messages are compared: small letters, digits and '_'; every run of other bytes is one
 * blank. Quotes, punctuation, the place where a line was wrapped and case differ from one paste to
 * the next. */

/* The letter that a byte stands for; ' ': it is no letter of a word. */
static inline char fold(char byte)
{
    if ((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '_')
        return byte;
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : ' ';
}

/* A new string: text folded, with a blank for the bytes before its first word and behind its last.
 */
char *fold_text(const char *text);

/* Whether the folded literal stands at *at of text; *at is then behind it. A blank of the literal
 * is at least one byte that belongs to no word; as the first one, it may stand before *at; as the
 * last one, it may be the end of the text. */
bool fold_matches(const char *literal, const char *text, size_t size, size_t *at);

#endif
