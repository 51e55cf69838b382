/* SPDX-License-Identifier: MIT */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

/* A growing run of bytes. data is NULL while nothing was added, else NUL-terminated; it may hold
 * NULs of its own, size counts. Start with {0}. */
struct text {
    char *data;
    size_t size;
    size_t capacity;
};

#define AUTO_TEXT AUTO(text_free)

void text_append(struct text *text, const char *string);
void text_append_n(struct text *text, const char *bytes, size_t size);
void text_append_char(struct text *text, char c);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
void text_clear(struct text *text); /* size 0, memory kept */
void text_free(struct text *text);
char *text_steal(struct text *text);              /* the bytes, never NULL; text is empty again */
const char *text_string(const struct text *text); /* never NULL */

bool string_equal(const char *a, const char *b); /* NULL equals only NULL */
/* False for NULL. */
bool string_starts(const char *string, const char *prefix);
bool string_ends(const char *string, const char *suffix);
bool string_contains_nocase(const char *string, const char *part);

/* Cuts white space (space, tab, CR, LF) off both ends, in place; returns the new start. */
char *string_trim(char *string);

/* True when there is nothing in string but such white space. */
bool string_is_blank(const char *string);

/* ASCII letters become small, in place; returns string, which may be NULL. */
char *string_lower(char *string);

/* Takes the next line of *cursor, without its end, NUL-terminated in place; NULL at the end. */
char *string_next_line(char **cursor);

/* A new string: pattern with value in the place of the first word; without word as it is. */
char *string_fill(const char *pattern, const char *word, const char *value);
/* The same in the place of every word; value NULL: as it is. */
char *string_fill_all(const char *pattern, const char *word, const char *value);

/* The whole of string as a number, decimal unless it begins with 0x. False when it is not one. */
bool string_to_unsigned(const char *string, unsigned long long *ret_value);
/* The same in decimal digits alone, from 0 to most: what a person writes into an option or a
 * variable. */
bool string_to_decimal(const char *string, unsigned long long most, unsigned long long *ret_value);

/* The number of bytes (1 to 4) of the valid UTF-8 sequence at bytes, 0 when there is none.
 * Surrogates, overlong forms and values above U+10FFFF are not valid (RFC 3629). */
size_t utf8_sequence(const char *bytes, size_t size);
bool utf8_valid(const char *bytes, size_t size);

/* Appends bytes so that a terminal and a JSON reader can take them: printable text as it is, all
 * else (control characters, DEL, C1, bidirectional overrides, invalid UTF-8) as \xHH per byte,
 * and a backslash as \\ . */
void text_append_safe_n(struct text *text, const char *bytes, size_t size);
void text_append_safe(struct text *text, const char *string);
char *string_safe(const char *string); /* a new string; NULL gives NULL */

/* The same for a string that was made safe before, such as the name of a group of facts: its
 * backslashes stay single, all else is made safe again. */
void text_append_safe_again(struct text *text, const char *string);

#endif
