/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_STORE_PART_H
#define MANIFEST_STORE_PART_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "manifest/reader/locate.h"

struct manifest_store;
struct manifest_subject;
struct strlist;

/* A subject as text, from which parts are read alone: that costs a run less than the whole. */
struct part_text {
    const char *text; /* NULL: there is none */
    size_t size;
    struct locate_members members;
    json_t *sources; /* the citations, once rows were read */
};
struct part_text part_text_of(const char *text, size_t size);
void part_text_free(struct part_text *text);

/* Reads one table, or the fields, into store. To be called once for each. False: not sound; why is
 * told by reading the whole. */
bool part_read_table(struct part_text *text, const struct manifest_subject *subject, unsigned table,
                     struct manifest_store *store);
bool part_read_fields(struct part_text *text, const struct manifest_subject *subject,
                      struct manifest_store *store);
/* The rows alone that have one of words, letter by letter. No row is sound, too. */
bool part_read_rows(struct part_text *text, const struct manifest_subject *subject, unsigned table,
                    const struct strlist *words, struct manifest_store *store);

#endif
