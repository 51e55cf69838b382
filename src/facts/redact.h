/* SPDX-License-Identifier: MIT */
#ifndef FACTS_REDACT_H
#define FACTS_REDACT_H

#include <stddef.h>

#include "base/memory.h"
#include "facts/facts.h"

/* Makes a record safe to publish. Whatever tells whose machine it is gets a stand-in, and the same
 * thing gets the same stand-in everywhere: "/home/user-1", "host-1", "192.0.2.1". A stand-in has
 * the form of what it stands for, so that the record is judged as before; one that is there
 * already stays. facts/dictionary_private.def says which facts are more than text. */
struct redaction;

/* What is replaced, in the order in which a page counts it. */
enum redacted {
    REDACTED_USER,
    REDACTED_HOST,
    REDACTED_ADDRESS,  /* IPv4 */
    REDACTED_ADDRESS6, /* IPv6 */
    REDACTED_MAC,
    REDACTED_UUID,
    REDACTED_SERIAL,
    REDACTED_ID, /* of a container, a virtual machine, a cloud's things */
    REDACTED_MAIL,
    REDACTED_SECRET,
    REDACTED_KEY,  /* name of a signing key */
    REDACTED_NAME, /* that somebody chose */
    REDACTED_COUNT
};

struct redaction *redaction_new(void);
void redaction_free(struct redaction *redaction);
#define AUTO_REDACTION AUTO(redaction_free_at)
static inline void redaction_free_at(struct redaction **redaction)
{
    redaction_free(*redaction);
}

/* A user's or host's name (REDACTED_USER, REDACTED_HOST) that is replaced wherever it is a word of
 * its own, unless it is one that thousands of machines have (root, ubuntu, nvidia). NULL: none. */
void redaction_know(struct redaction *redaction, enum redacted kind, const char *name);

/* The record with stand-ins; the caller owns it. Names that stand in a place for names (/home/X,
 * X@host) are learned first. */
struct facts *redaction_facts(struct redaction *redaction, const struct facts *facts);

/* The same for a text beside the record, such as its path; a new string; NULL gives NULL. */
char *redaction_text(struct redaction *redaction, const char *text);

/* How many different things of a kind were replaced; and what they are: "user name". */
size_t redaction_count(const struct redaction *redaction, enum redacted kind);
const char *redaction_word(enum redacted kind);

#endif
