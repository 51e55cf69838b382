/* SPDX-License-Identifier: MIT */
#ifndef BASE_TOML_H
#define BASE_TOML_H

#include <stddef.h>

#include "base/error.h"
#include "base/json.h"

/* Reads size bytes of text as one TOML document (toml.io, version 1.0) into JSON: tables are
 * objects, arrays of tables are arrays of objects. Integers, booleans and strings keep their type;
 * floats, dates and times become strings, as they stand. At most max bytes, tables nested at most
 * JSON_DEPTH deep, at most TOML_VALUES values. A key that is set twice is refused, as the format
 * demands; a table may be opened twice. name is what the error calls the text (a path). NULL and a
 * filled error (ERROR_DATA, with the line) otherwise. The caller owns the result. */
#define TOML_VALUES 16384
json_t *toml_parse(const char *text, size_t size, size_t max, const char *name,
                   struct error *error);

#endif
