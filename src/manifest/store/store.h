/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_STORE_STORE_H
#define MANIFEST_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "manifest/reader/subject.h"

struct error;
struct manifest;
struct manifest_problems;
struct strlist;

/* The subjects of one manifest, each read when it is first asked for. */

#define SUBJECT(name) extern const struct manifest_subject manifest_##name##_subject;
#include "manifest/store/subjects.def"
#undef SUBJECT

/* A manifest of these subjects (they end with NULL), none of them read; store_read_document() reads
 * them all. name is what errors call it. */
struct manifest *store_new(const struct manifest_subject *const *subjects, const char *name);
/* Those of the program itself, each read when it is asked for. */
struct manifest *store_new_built_in(const struct manifest_subject *const *subjects);
/* Those of a joined document that is known to be valid, each read when it is asked for. text must
 * outlive the manifest. */
struct manifest *store_new_lazy(const struct manifest_subject *const *subjects, const char *name,
                                const char *text, size_t size);
void store_free(struct manifest *manifest);
const struct error *store_problem(const struct manifest *manifest);
/* NULL: it is the built-in one. */
const char *store_name(const struct manifest *manifest);
/* Reads all subjects of a joined document. What is wrong is in its problems. */
void store_read_document(struct manifest *manifest, struct manifest_document *document);

/* The rows of a table of a subject, by its number, and the fields of a subject; read now when they
 * were not yet, and no other table. NULL and a count of 0 when they cannot be
 * read. */
const void *manifest_rows(struct manifest *manifest, const struct manifest_subject *subject,
                          unsigned table, size_t *ret_count);
void *manifest_fields(struct manifest *manifest, const struct manifest_subject *subject);
/* The rows that have one of words as a string, in their order. Others may be among them: the caller
 * looks at each. Of a table that nobody asked for as a whole, the others are not read,
 * which costs a run a tenth. One row may have several addresses: its id tells it. */
const void *manifest_rows_saying(struct manifest *manifest, const struct manifest_subject *subject,
                                 unsigned table, const struct strlist *words, size_t *ret_count);
/* The same of rows that have number. */
const void *manifest_rows_with(struct manifest *manifest, const struct manifest_subject *subject,
                               unsigned table, uint64_t number, size_t *ret_count);
/* The same of rows in whose JSON one of texts stands, letter by letter. */
const void *manifest_rows_selected(struct manifest *manifest,
                                   const struct manifest_subject *subject, unsigned table,
                                   const struct strlist *texts, size_t *ret_count);

/* The subject as it stands in the manifest; NULL when it cannot be read. */
const json_t *manifest_json(struct manifest *manifest, const struct manifest_subject *subject);

/* Whether a lookup since the last call met a subject that cannot be read. */
bool manifest_missed(struct manifest *manifest);

#endif
