/* SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_NEAREST_MESSAGE_H
#define EXPLAIN_NEAREST_MESSAGE_H

struct manifest;

/* Private to explain/: the pattern that has most of its words in text; free() it. NULL: none has
 * half of them. */
char *nearest_message(struct manifest *manifest, const char *text);

#endif
