/* SPDX-License-Identifier: MIT */
#ifndef RULES_RULES_H
#define RULES_RULES_H

#include "base/strlist.h"
#include "facts/facts.h"
#include "rules/finding.h"

struct manifest;
struct requirements;
struct framework_choices;
struct rule_context;

/* The blocks of the report, in its order. */
enum block {
    BLOCK_DRIVER,
    BLOCK_GPU,
    BLOCK_CUDA,
    BLOCK_CUDNN,
    BLOCK_LIBRARIES,
    BLOCK_FRAMEWORKS,
    BLOCK_CONTAINER,
    BLOCK_HOST,
    BLOCK_COUNT
};
const char *block_name(enum block block); /* "Driver" */

/* One cause the doctor can name. Codes and causes never change meaning. The texts are what
 * `gpuenv explain` prints. */
struct rule {
    const char *code;
    const char *cause; /* slug */
    const char *title; /* a clause: "the GPU is not on the PCI bus" */
    enum block block;
    /* Which severities its findings have with --for run, build and container: 1u << SEVERITY_…; 0:
     * it finds nothing there. Of a consequence they are those of its own rule. */
    unsigned severities[3];
    bool symptom;         /* it follows from what its error number lists (manifests/error.json) */
    const char *follows;  /* causes that it may follow from, with blanks between; NULL: none */
    const char *decides;  /* a clause: the fact that tells it from others with the same symptom */
    const char *meaning;  /* what it means for the user, two or three sentences */
    const char *detected; /* which facts decide */
    const char *by_hand;  /* commands that show them, a line each; "    # …" is a remark */
    const char *fix;      /* in general; the finding has the commands for this machine */
    const char *mistaken; /* what it is often mistaken for */
    void (*judge)(struct rule_context *context);
};

/* In the order they run and are listed; ends with code NULL. A cause stands before its
 * consequences. Adding a rule: one function in the file of its group, one row. */
extern const struct rule rule_table[];

/* By code ("DRV-004", any case) or cause; NULL when there is none. */
const struct rule *rule_find(const char *name);

struct judge_options {
    bool profile_given;
    enum profile profile;
    bool tree;                               /* --root: decides the profile when none is given */
    bool strict;                             /* warnings count for the exit code */
    const struct strlist *only;              /* codes or causes; NULL or empty: all */
    const struct strlist *ignore;            /* codes or causes */
    const struct requirements *requirements; /* --require; NULL: none */
    const struct framework_choices *choices; /* of each framework that is installed or asked for,
                                                what was resolved for this machine; NULL: nothing */
    double (*now_ms)(void);                  /* for checks' durations; NULL: 0 */
};

/* Judges the record. Pure: no file, clock, environment or library is touched. The result is the
 * caller's. */
struct judgement *rules_judge(const struct facts *facts, struct manifest *manifest,
                              const struct judge_options *options);

#endif
