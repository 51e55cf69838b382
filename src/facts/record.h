/* SPDX-License-Identifier: MIT */
#ifndef FACTS_RECORD_H
#define FACTS_RECORD_H

#include "base/json.h"
#include "facts/facts.h"

struct error;

/* The record as JSON, {"group": {"name": fact}}: {"value": …}, {"absent": true}, {"unknown":
 * reason} or {"skipped": reason}, each with "source". A string that is not UTF-8 stands as
 * {"value": text with \xHH, "bytes": hex of the string as found}; in a list, "bytes" is a list
 * beside it, hex or null. The caller owns the result. */
json_t *record_to_json(const struct facts *facts);

/* One fact of a record, both ways: the object {"value": …, "source": …}. The caller owns what the
 * first returns. The second sets the fact under group and name, keys that it does not know left
 * alone; false, and nothing set, when the object is not of that form. */
json_t *record_fact_to_json(const struct fact *fact);
bool record_fact_from_json(struct facts *facts, const char *group, const char *name,
                           const json_t *object);

/* The other way, from the text of `gpuenv facts --json`: finds "facts" in the envelope, or takes
 * the object itself. At most RECORD_MAX bytes. Unknown groups and names are kept (a newer gpuenv
 * may have written them). NULL and a filled error (ERROR_DATA) when it is no record, or one of a
 * later schema_version, where they may mean something else; a fact of the wrong form is named by
 * its group and name. The caller owns the result. */
#define RECORD_MAX    (16u << 20)
#define RECORD_SCHEMA 1
struct facts *record_load(const char *text, size_t size, const char *name, struct error *error);

#endif
