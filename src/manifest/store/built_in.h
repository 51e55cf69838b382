/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_STORE_BUILT_IN_H
#define MANIFEST_STORE_BUILT_IN_H

#include <stdbool.h>

#include "manifest/reader/subject.h"

struct manifest_problems;
struct strlist;

/* The document of a built-in subject, without a text when there is none; name is what to call it.
 */
struct manifest_document built_in_document(const char *subject, const char *name,
                                           struct manifest_problems *problems);
/* Read one table of a built-in subject, or its fields, alone into store, which costs a run less
 * than the whole. To be called once for each. False: not sound; why is told by reading the whole.
 */
bool built_in_read_table(const struct manifest_subject *subject, unsigned table,
                         struct manifest_store *store);
/* The rows alone that have one of texts, letter by letter. No row is sound, too. */
bool built_in_read_rows(const struct manifest_subject *subject, unsigned table,
                        const struct strlist *texts, struct manifest_store *store);
bool built_in_read_fields(const struct manifest_subject *subject, struct manifest_store *store);

#endif
