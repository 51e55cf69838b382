/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_ERROR_MESSAGE_H
#define MANIFEST_ERROR_MESSAGE_H

#include <stddef.h>

#include "base/strlist.h"
#include "manifest/error/error.h"

struct manifest;

/* manifests/message.json: what programs print, as patterns (match/pattern.h), and what it comes
 * from. The lines of log.json, and the names and messages of error.json, are patterns too, and are
 * not repeated here. */
struct manifest_message {
    const char *id;      /* "message/smi-gpu-lost" */
    const char *name;    /* smi-gpu-lost */
    const char *program; /* who prints it: nvidia-smi */
    const char *pattern;
    const char *kind;  /* fault; wrapper: another message has the reason; harmless; foreign: of
                        * another vendor's program or library */
    const char *since; /* the first version of program that prints it; NULL: not known */
    const char *until; /* the last one */
    const char *error; /* it stands for the error "nvml-15", or "cuda-802" … */
    const char *as;    /* … or says the same as the pattern of this name */
    const char *meaning;
    const char *fix;
    struct strlist findings; /* causes (slugs), likeliest first; at most MESSAGE_CAUSES */
    const char *remaining;   /* what it may come from otherwise */
    const char *command;     /* the one that decides then */
    const char *root;        /* yes: the command needs root */
    const char *sample;      /* a line with it */
    const char *source;
    const char *confidence;
    const char *notes;
};
#define MESSAGE_CAUSES 8 /* more are no answer */

/* NULL and 0: the manifest has none, as those before the subject message. */
const struct manifest_message *manifest_messages(struct manifest *manifest, size_t *ret_count);
/* The row whose meaning a row has: itself, or the one that it names with as. */
const struct manifest_message *manifest_message_meant(struct manifest *manifest,
                                                      const struct manifest_message *row);
bool manifest_message_is(const struct manifest_message *row, const char *kind);

/* A library that the hole {library} stands for: a pattern with it is one for each of them. */
struct manifest_message_library {
    const char *id;
    const char *name;
    const char *stem; /* of its file's name: libcublas */
    const char *as;   /* the pattern of this name says what it means that it is not found */
    const char *source;
    const char *confidence;
    const char *notes;
};
#define MESSAGE_LIBRARY "{library}"
const struct manifest_message_library *manifest_message_libraries(struct manifest *manifest,
                                                                  size_t *ret_count);
/* The pattern of this name, or NULL. */
const struct manifest_message *manifest_message_named(struct manifest *manifest, const char *name);

/* What else stands in a text, and what it says of causes. */
struct manifest_clue {
    const char *id;
    const char *name;
    struct strlist patterns; /* one of them stands in the text */
    struct strlist raises;   /* causes that go first then */
    struct strlist drops;    /* causes that cannot be then */
    struct strlist only;     /* causes that go last without it */
    const char *tells;       /* a clause: "the text is from WSL" */
    const char *source;
    const char *confidence;
    const char *notes;
};
const struct manifest_clue *manifest_clues(struct manifest *manifest, size_t *ret_count);

/* The causes of an error in a text, where its own row has them in the order in which the doctor
 * looks. */
struct manifest_likely {
    const char *id;
    const char *error;       /* cuda-999 */
    struct strlist findings; /* likeliest first; at most MESSAGE_CAUSES; empty: none is likely, as
                              * most often the program itself is the cause */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* NULL: the error's own row has the order. */
const struct manifest_likely *manifest_likely(struct manifest *manifest, const char *error);

/* An error that others bring with them: error/xid-45 after error/xid-79. */
struct manifest_consequence {
    const char *id;
    const char *error; /* xid-45 */
    struct strlist of; /* xid-79, … */
    const char *source;
    const char *confidence;
    const char *notes;
};
const struct manifest_consequence *manifest_consequences(struct manifest *manifest,
                                                         size_t *ret_count);

#endif
