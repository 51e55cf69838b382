/* SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_CATALOGUE_H
#define EXPLAIN_CATALOGUE_H

#include "base/strlist.h"
#include "manifest/error/error.h"
#include "manifest/error/log.h"
#include "manifest/error/message.h"
#include "match/pattern.h"

/* Private to explain/: all patterns of a manifest, and whose each is. */

struct catalogue_entry { /* one of these */
    const struct manifest_message *message;
    const struct manifest_message *missed; /* of a {library}: what it means that it is missed */
    const struct manifest_error *error;    /* by its name, or as a message of error.json */
    const struct manifest_log *log;
    const struct manifest_clue *clue;
    size_t clue_number;
    enum manifest_error_list list; /* of error */
};
struct catalogue {
    struct manifest *manifest;
    struct pattern *patterns;
    size_t count, capacity;
    struct catalogue_entry *entries; /* one for each pattern */
    size_t entry_count, entry_capacity;
    struct pattern_lists lists;
    struct catalogue_words {
        const struct manifest_error *rows;
        size_t count;
        char **words; /* folded; NULL: the row has none */
    } words[ERROR_LISTS];
};

void catalogue_read(struct manifest *manifest, struct catalogue *ret_catalogue);
/* Its lists alone, for one pattern. */
void catalogue_read_lists(struct manifest *manifest, struct catalogue *ret_catalogue);
/* The patterns that a row stands for: its own, or with {library} one for each library. */
void catalogue_forms(struct manifest *manifest, const struct manifest_message *row,
                     struct strlist *forms);
void catalogue_free(struct catalogue *catalogue);

#endif
