/* SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_ORDER_H
#define EXPLAIN_ORDER_H

#include "explain/explanation.h"

/* Private to explain/: which message is the cause of others, and which causes what else stands in
 * the text makes likely. */

enum explained_rank order_rank_of(const struct explained *item);

/* Orders the items and their findings, and fills clues and causes. stand: by number, whether each
 * clue of the manifest stands in the text. */
void order_explanation(struct manifest *manifest, const bool *stand, struct explanation *found);

#endif
