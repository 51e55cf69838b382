/* SPDX-License-Identifier: MIT */
#ifndef BASE_JSON_H
#define BASE_JSON_H

/* The one place that names jansson. Rooms that handle JSON include this header. */
#include <jansson.h>

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strlist.h"
#include "base/text.h"
#include "base/version.h"

#define AUTO_JSON AUTO(json_release_at)

static inline void json_release_at(json_t **value)
{
    json_decref(*value);
}

/* Parses size bytes of text as one JSON document: strict RFC 8259, no duplicate keys, at most max
 * bytes, nested at most JSON_DEPTH deep, with at most JSON_VALUES values, or one for each
 * JSON_BYTES_PER_VALUE bytes of max where that is more. name is what the error
 * calls the text (a path). NULL and a filled error (ERROR_DATA, with line and column) otherwise.
 * The caller owns the result. */
#define JSON_DEPTH           16
#define JSON_VALUES          131072
#define JSON_BYTES_PER_VALUE 128
json_t *json_parse(const char *text, size_t size, size_t max, const char *name,
                   struct error *error);
/* The same; after a failure *ret_offset is how many bytes of text were good. */
json_t *json_parse_offset(const char *text, size_t size, size_t max, const char *name,
                          size_t *ret_offset, struct error *error);

/* A JSON string of any bytes: text as it is where it is UTF-8, else with \xHH in place of what is
 * not. NULL gives null. The caller owns the result. */
json_t *json_from_string(const char *string);

/* The version as a JSON string; null where it is none (count 0). The caller owns the result. */
json_t *json_from_version(const struct version *version);

/* An array of such strings; NULL gives an empty one. The caller owns the result. */
json_t *json_from_list(const struct strlist *list);

/* The same as a member of object: a string that is NULL is left out. */
void json_set_string(json_t *object, const char *key, const char *string);
void json_set_list(json_t *object, const char *key, const struct strlist *list);

/* Appends value as text: keys in the order they were set, indented by two spaces, newline at the
 * end. Numbers have at most 15 digits, so that 3.3 stays 3.3. ASCII alone and no control character,
 * so that it can be shown on a terminal. */
void json_append_text(const json_t *value, struct text *text);

#endif
