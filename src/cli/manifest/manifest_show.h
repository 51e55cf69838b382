/* SPDX-License-Identifier: MIT */
#ifndef CLI_MANIFEST_MANIFEST_SHOW_H
#define CLI_MANIFEST_MANIFEST_SHOW_H

#include "base/json.h"
#include "cli/engine/session.h"

struct manifest;
struct manifest_subject;
struct manifest_table;
struct strlist;
struct text;

/* What "gpuenv manifest show" was asked for. */
struct manifest_choice {
    const struct manifest_subject *subject; /* NULL: an overview of all */
    const struct manifest_table *table;     /* NULL: all of the subject */
    const char *id;                         /* of one row of the table; NULL: all of them */
};

/* word is SUBJECT, SUBJECT/TABLE, the id of a row, or NULL. False: there is no such; near gets what
 * there is. */
bool manifest_choose(struct manifest *manifest, const char *word,
                     struct manifest_choice *ret_choice, struct strlist *near);

/* The choice as text: how many rows each table has, rows as a table, one row whole. */
void manifest_show_text(struct manifest *manifest, const struct manifest_choice *choice,
                        unsigned columns, struct text *output);

/* The tables of the choice: subject, table, about, count and, unless it is the overview, rows, each
 * with its id, and citations in place of their keys. */
json_t *manifest_show_json(struct manifest *manifest, const struct manifest_choice *choice);

#endif
