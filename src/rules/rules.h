/* SPDX-License-Identifier: MIT */
#ifndef RULES_RULES_H
#define RULES_RULES_H

#include "base/strlist.h"
#include "facts/facts.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"

struct manifest;
struct requirements;
struct framework_choices;

/* In the order they run and are listed; ends with code NULL. A cause stands before its
 * consequences. Adding a rule: one function in a
 * file of its folder, one row in a .def file beside it. */
extern const struct rule rule_table[];

/* By code ("DRV-004", any case) or cause; NULL when there is none. */
const struct rule *rule_find(const char *name);

struct judge_options {
    bool purpose_given;
    enum purpose purpose;
    bool tree;                               /* --root: decides the purpose when none is given */
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
