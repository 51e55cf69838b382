/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_READER_SLUG_H
#define MANIFEST_READER_SLUG_H

#include <stdbool.h>

struct manifest_place;

/* "GeForce RTX 4090" as "geforce-rtx-4090", for ids and names that people type: a new string. */
char *manifest_slug(const char *name);
/* The same with a space between words. */
char *manifest_words(const char *name);
/* Whether the value is such a slug already. */
bool slug_check(const struct manifest_place *place, const char *key, const char *value);
/* Whether the name of a row is a slug, and does not sort before that of the row before it (NULL:
 * there is none). */
bool name_check(const struct manifest_place *place, const char *name, const char *before);

#endif
