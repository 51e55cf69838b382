/* SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_NEAREST_MESSAGE_H
#define EXPLAIN_NEAREST_MESSAGE_H

struct manifest;
struct manifest_message;

/* Private to explain/: the pattern that has most of its words in text; free() it. NULL: none has
 * half of them. */
char *nearest_message(struct manifest *manifest, const char *text);

/* The first pattern that the words are a part of, letter by letter: a message of which only a piece
 * was copied. NULL: none, or they are too few. */
const struct manifest_message *message_with_part(struct manifest *manifest, const char *words);

#endif
