/* SPDX-License-Identifier: MIT */
#ifndef RULES_ENGINE_CONTEXT_H
#define RULES_ENGINE_CONTEXT_H

#include "base/version.h"
#include "facts/facts.h"
#include "rules/engine/finding.h"

struct rule;
struct manifest;
struct requirements;
struct framework_choices;

/* A fact that was asked for and that is no answer (rules/query/lacking.h). */
struct lacking_fact {
    const char *group; /* NULL: there is none */
    const char *name;
    const char *reason; /* a clause */
};

/* What a rule is given, and where it puts its result. A rule that sets nothing has passed. */
struct rule_context {
    const struct facts *facts;
    struct manifest *manifest;
    enum purpose purpose;
    bool purpose_given;                      /* the user named it (--for) */
    struct lacking_fact purpose_lacks;       /* what might have decided otherwise */
    const struct requirements *requirements; /* --require; NULL: none */
    const struct framework_choices *choices; /* what was resolved of frameworks; NULL: nothing */
    const struct rule *rule;                 /* the one being judged */
    struct judgement *judgement;             /* with the findings of the rules before it */
    struct check *check;
};

/* The rule does not apply, or cannot be decided; format is the reason, one clause. A finding that
 * the rule has made stays; the check's status is the gravest of fail, unknown, warn, skip, pass. */
void rule_skip(struct rule_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void rule_unknown(struct rule_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds to the reason of a rule that has ended so what it did not get to know; a reason that is part
 * of that says it. */
void rule_also(struct rule_context *context, const char *lacks);

/* Adds a finding of this rule; severity decides the check's status. */
struct finding *rule_found(struct rule_context *context, enum severity severity, const char *format,
                           ...) __attribute__((format(printf, 3, 4)));
void finding_subject(struct finding *finding, const char *subject);
void finding_why(struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds a fix: a line for a shell, with a clause about it (NULL: none), or a note that says it all.
 * what is its kind, with what it needs: FIX_STEP | NEEDS_ROOT | THEN_REBOOT. The usual kind is
 * FIX_STEP for a command that needs root, FIX_SHELL for any other, FIX_ADVICE for a note. */
void finding_fix_command(struct finding *finding, unsigned what, const char *note,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));
void finding_fix_note(struct finding *finding, unsigned what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A fix that gpuenv may carry out itself (FIX_RUN): the program argv[0], without a directory, with
 * these words. Its command is the same for a shell, with sudo. A second program is run when the
 * first has ended well. */
void finding_fix_run(struct finding *finding, const char *note, const char *const argv[]);
void finding_fix_run_then(struct finding *finding, const char *const argv[]);
/* Gives the fix that was added last another kind: for one that a helper added. */
void finding_fix_kind(struct finding *finding, enum fix_kind kind);
/* Adds the fact as evidence: its source and value ("absent" and the like when it has none). */
void finding_evidence(struct finding *finding, const struct facts *facts, const char *group,
                      const char *name);
/* The same for something that is no fact of its own. */
void finding_evidence_text(struct finding *finding, const char *source, const char *value);
void finding_manifest(struct finding *finding, const char *row_id);
/* Makes the finding a consequence when an earlier rule found cause; true when it did. */
bool finding_follows(const struct rule_context *context, struct finding *finding,
                     const char *cause);

/* rule_require_…, and require_… within a file: true when the rule may go on. Else they have ended
 * the check, and said why. No other function that asks a question changes the check. */

/* For a fact that the rule cannot do without. False when it is unknown (rule_unknown), skipped
 * (rule_skip) or was never recorded (rule_unknown). Absent is an answer, unless every machine has a
 * value (dictionary_is_missing()). */
bool rule_require_fact(struct rule_context *context, const char *group, const char *name);

/* The same for a fact that only --from lacks, where somebody sent a part of what there is: false,
 * and the check is skipped, when it was skipped. */
bool rule_require_seen(struct rule_context *context, const char *group, const char *name);

/* Whether an earlier rule found this cause. If that rule lacked a fact, this one rests on it. */
bool rule_has_found(const struct rule_context *context, const char *cause);

/* fail for the purposes in which the cause makes the GPU or a program unusable. */
/* For a rule that looks through the findings itself. */
void rule_asks_for_cause(const struct rule_context *context, const char *cause);

enum severity severity_for_use(enum purpose purpose);   /* run, container: fail; build: info */
enum severity severity_for_build(enum purpose purpose); /* build: fail; else info */

#endif
