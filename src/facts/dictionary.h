/* SPDX-License-Identifier: MIT */
#ifndef FACTS_DICTIONARY_H
#define FACTS_DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>

#include "facts/facts.h"

/* Who a group of facts belongs to when `--root` and `--facts` are given together. */
enum fact_owner {
    OWNER_TREE, /* files: read below the root */
    OWNER_LIVE, /* the running machine: environment, uname, limits, nodes; from the record */
};

/* Every kind of group. instances: groups are "kind/…", and "kind" itself holds what is about all.
 */
struct fact_kind {
    const char *kind;
    enum fact_owner owner;
    bool instances;
    const char *meaning;
};

/* Every fact. name "*" stands for any name (environment variables). of_instance: it stands in
 * "kind/…", else in "kind". */
struct fact_entry {
    const char *kind;
    bool of_instance;
    const char *name;
    enum fact_type type;
    const char *meaning; /* with its unit and an example */
};

extern const struct fact_kind fact_kinds[];    /* ends with kind NULL */
extern const struct fact_entry fact_entries[]; /* ends with kind NULL */

/* Why it is an answer that a fact is absent: a clause. Where there is none, a value was expected:
 * a rule that gets none knows nothing. */
struct fact_absence {
    const char *kind;
    bool of_instance;
    const char *name;
    const char *why;
};
extern const struct fact_absence fact_absences[]; /* ends with kind NULL */
/* NULL: that this fact is absent answers nothing, or it is not in the dictionary. */
const char *dictionary_absence(const char *group, const char *name);
/* True for a fact of the dictionary that has a value on every machine: an absent one is missing. */
bool dictionary_is_missing(const char *group, const char *name);

/* What a rule may conclude that found nothing and asked for a fact which is unknown or skipped. */
enum fact_need {
    NEED_ANSWER,         /* unknown: nothing; skipped: the rule does not apply */
    NEED_ELSEWHERE,      /* another rule says that it is unknown: here that counts as skipped */
    NEED_UNLESS_SKIPPED, /* unknown: nothing; skipped: the rule has passed */
    NEED_NOTHING,        /* the rule has passed: another fact decides */
};
/* The facts that are not NEED_ANSWER, and why: a clause. */
struct fact_exception {
    const char *kind;
    bool of_instance;
    const char *name;
    enum fact_need need;
    const char *why;
};
extern const struct fact_exception fact_exceptions[]; /* ends with kind NULL */
enum fact_need dictionary_need(const struct fact_entry *entry);

/* How `gpuenv report` makes a fact safe to publish. */
enum fact_privacy {
    PRIVACY_TEXT,    /* searched for names, addresses, numbers of devices, secrets */
    PRIVACY_VERSION, /* the same, but four small numbers with dots are a version, no address */
    PRIVACY_KEY,     /* the name of a signing key, in which the host's may stand */
    PRIVACY_SERIAL,  /* a serial number */
    PRIVACY_NAME,    /* a name that somebody chose */
};
struct fact_private {
    const char *kind;
    bool of_instance;
    const char *name;
    enum fact_privacy privacy;
};
extern const struct fact_private fact_privacies[]; /* ends with kind NULL */
enum fact_privacy dictionary_privacy(const char *group, const char *name);

const struct fact_kind *dictionary_kind(const char *group);
const struct fact_entry *dictionary_entry(const char *group, const char *name);

#endif
