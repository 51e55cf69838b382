/* SPDX-License-Identifier: MIT */
#ifndef PROBE_PYTHON_PYTHON_LITERAL_H
#define PROBE_PYTHON_PYTHON_LITERAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strlist.h"

/* Literals in the small files that a framework's build writes about itself (torch/version.py,
 * build_info.py), and in JSON. Nothing is run: a value that is not a literal is not found. Pure;
 * takes any bytes. */
#define LITERAL_MAX 1024 /* bytes of one value; a longer one is not found */

/* The value of the first line `name = VALUE` or `name: annotation = VALUE` that begins with the
 * name. *ret_value: a string's content, or the word (True, 12, None). free() it. */
bool python_assigned(const char *bytes, size_t size, const char *name, char **ret_value);

/* The value behind a quoted key and ':' or ',', the first in the bytes: `"key": VALUE`,
 * `('key', VALUE)`; a list's strings one by one, at most 256. False when there is none. */
bool python_item(const char *bytes, size_t size, const char *key, struct strlist *values);

/* The one value of python_item(); NULL when there is none, or None or null. free() it. */
char *python_item_one(const char *bytes, size_t size, const char *key);

#endif
