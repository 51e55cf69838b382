/* SPDX-License-Identifier: MIT */
#ifndef BASE_TOML_READER_H
#define BASE_TOML_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* What the two files of the TOML reader share: where it stands, and its strings. */
struct toml_reader {
    const char *at, *end;
    unsigned line;
    unsigned depth;
    size_t values;
    const char *wrong; /* a clause; NULL: nothing is */
};

/* Keeps the first thing that is wrong. Returns false. */
bool toml_fail(struct toml_reader *reader, const char *wrong);
/* The next byte; NUL at the end. */
char toml_peek(const struct toml_reader *reader);
/* Goes past words when they are next. */
bool toml_take(struct toml_reader *reader, const char *words);
/* Appends the string in quotes that is next: " has escapes, ' has none; three of them hold lines,
 * which a key has not. */
bool toml_string(struct toml_reader *reader, bool key, struct text *text);

#endif
