/* SPDX-License-Identifier: MIT */
#ifndef SCHEMA_RECORD_H
#define SCHEMA_RECORD_H

#include <stddef.h>

#include "base/json.h"

/* Leaves the document in RECORD_DIRECTORY, unless one like it is there. */
void record_document(const char *bytes, size_t size);

/* In the places of the functions that make JSON (ld's --wrap). */
void __wrap_json_append_text(const json_t *value, struct text *text);
void __real_json_append_text(const json_t *value, struct text *text);

#endif
