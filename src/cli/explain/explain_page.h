/* SPDX-License-Identifier: MIT */
#ifndef CLI_EXPLAIN_EXPLAIN_PAGE_H
#define CLI_EXPLAIN_EXPLAIN_PAGE_H

#include "base/json.h"
#include "explain/explanation.h"

struct manifest;
struct text;

/* What a text tells, for people, folded to columns. */
void explain_page_text(struct manifest *manifest, const struct explanation *explanation,
                       unsigned columns, struct text *output);

/* Adds it to the envelope: what the message that explains most says, all of them in "explained",
 * and the causes of all in "likely". */
void explain_page_json(struct manifest *manifest, const struct explanation *explanation,
                       json_t *envelope);

#endif
