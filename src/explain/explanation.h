/* SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_EXPLANATION_H
#define EXPLAIN_EXPLANATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strlist.h"
#include "manifest/error/error.h"
#include "manifest/error/log.h"
#include "manifest/error/message.h"

struct manifest;

/* What a text tells: a pasted message, a log of any size. */

/* How a message stands to the others of its text, in the order in which they are told. */
enum explained_rank {
    RANK_FAULT,       /* something went wrong */
    RANK_FOREIGN,     /* a library or program of another vendor */
    RANK_CONSEQUENCE, /* another one in the text brings it with it */
    RANK_WRAPPER,     /* it says that something failed, and another says what */
    RANK_HARMLESS,
    RANKS
};

/* One message, or several that mean the same. */
struct explained {
    enum explained_rank rank;
    const struct manifest_error *error; /* the error that it stands for, of list; or NULL */
    enum manifest_error_list list;
    const struct manifest_message *message; /* the pattern; NULL: of error.json or log.json */
    const struct manifest_message *meant;   /* whose words explain it; NULL: of error or log */
    const struct manifest_log *log;
    uint64_t count;
    uint64_t first, last;    /* lines, from 1 on */
    char *said;              /* the line, without its prefix */
    struct strlist findings; /* causes, likeliest first, as the text has it */
};

struct explanation {
    struct explained *items; /* what explains most comes first */
    size_t count, capacity;
    struct strlist clues;  /* what else in the text decided: "the text is from WSL" */
    struct strlist causes; /* of all messages, likeliest first */
    uint64_t lines;
    char *nearest; /* nothing was recognised: the pattern that has most in common; or NULL */
};

/* Reads a text piece by piece. The manifest outlives it. */
struct explainer;
struct explainer *explainer_new(struct manifest *manifest);
void explainer_feed(struct explainer *explainer, const char *bytes, size_t size);
/* Ends the text; what is fed next is another. */
void explainer_end(struct explainer *explainer, struct explanation *ret_explanation);
void explainer_free(struct explainer *explainer);

void explanation_free(struct explanation *explanation);
#define AUTO_EXPLANATION AUTO(explanation_free)

/* Adds causes in the order that they have where the text is not known: those that need a clue go
 * last. */
void explanation_order(struct manifest *manifest, const struct strlist *causes,
                       struct strlist *ordered);

/* Why a pattern of the manifest cannot be read, or does not find its own sample: a clause, to be
 * freed; NULL: it is well. */
char *explanation_check(struct manifest *manifest, const struct manifest_message *row);

#endif
