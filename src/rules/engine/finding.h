/* SPDX-License-Identifier: MIT */
#ifndef RULES_ENGINE_FINDING_H
#define RULES_ENGINE_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/exit.h"
#include "base/memory.h"
#include "base/strlist.h"

/* What gpuenv is asked to judge the machine for (--for). */
enum purpose { PURPOSE_RUN, PURPOSE_BUILD, PURPOSE_CONTAINER };
const char *purpose_name(enum purpose purpose);
bool purpose_from_name(const char *name, enum purpose *ret_purpose);

enum severity { SEVERITY_INFO, SEVERITY_WARN, SEVERITY_FAIL };
const char *severity_name(enum severity severity); /* "fail", "warn", "info" */

/* What a fix is to whoever carries it out: a script of fixes, or gpuenv (docs/how-to/fix.md). */
enum fix_kind {
    FIX_ADVICE, /* a note */
    FIX_HOST,   /* a note: what is done outside this container or virtual machine */
    FIX_LOOK,   /* shows something, and changes nothing */
    FIX_SHELL,  /* for a shell or an environment of the user's; in a script it has no effect */
    FIX_CHOICE, /* fixes at a price, or on a condition: a person decides */
    FIX_STEP, /* fixes; the first of a finding is a line of the script, later ones are other ways */
    FIX_ALSO, /* belongs to the step before it */
    FIX_REBOOT, /* nothing but a reboot */
    FIX_RUN,    /* loads a module, makes a link, runs ldconfig: --fix --yes does it */
};
/* What a fix needs, besides its kind. */
enum {
    NEEDS_ROOT = 1 << 4,
    THEN_REBOOT = 1 << 5,
    FOR_NOW = 1 << 6, /* a stop-gap: it stands behind what lasts, and its note says "for now" */
};
const char *fix_kind_name(enum fix_kind kind); /* "run", "step", … */

/* One way to fix it. command is one line for a shell, or NULL when note says what to do. */
struct finding_fix {
    enum fix_kind kind;
    char *command;
    char *note;              /* NULL, or a clause: "then reboot" */
    bool root;               /* needs root */
    bool reboot;             /* takes effect after a reboot */
    bool for_now;            /* a stop-gap */
    struct strlist *program; /* FIX_RUN: what command runs one after the other, as words */
    size_t program_count, program_capacity;
};

/* A fact the finding rests on, as text. */
struct finding_evidence {
    char *source;
    char *name; /* of the fact: "version"; NULL: it is none of the record */
    char *value;
    char *group; /* of the fact: "kernel_log/xid-79@0000:18:00.0"; NULL with name */
};

struct finding {
    const char *code;  /* "DRV-004", of the rule */
    const char *cause; /* "driver_library_mismatch", of the rule */
    enum severity severity;
    char *subject;             /* which GPU, library, environment; NULL when it is the machine */
    char *message;             /* one sentence with the values */
    char *why;                 /* the rule and its numbers */
    struct finding_fix *fixes; /* safest first, and stop-gaps behind what lasts */
    size_t fix_count, fix_capacity;
    struct finding_evidence *evidence;
    size_t evidence_count, evidence_capacity;
    char *manifest;        /* id of the row it rests on, or NULL */
    const char *caused_by; /* code it follows from, or NULL; a consequence is not counted */
};

/* How one check ended. */
enum check_status { CHECK_PASS, CHECK_WARN, CHECK_FAIL, CHECK_SKIP, CHECK_UNKNOWN };
const char *check_status_name(enum check_status status);

struct check {
    const char *code;
    const char *cause;
    enum check_status status;
    char *reason; /* CHECK_SKIP: why it does not apply; CHECK_UNKNOWN: which fact, and why */
    double duration_ms;
    char *lacks; /* what it asked for and did not get to know, with the reasons; NULL: nothing */
    struct strlist rests_on; /* codes of such checks, for whose finding this one asked */
};

/* What the rules say of one record. */
struct judgement {
    enum purpose purpose;
    char *purpose_reason; /* what decided it: "--for", "a container with an NVIDIA device", … */
    const char *gpu_request;   /* a container that shows no GPU, and is judged for build therefore:
                                  how it asks for one ("docker run --gpus all"); else NULL */
    struct finding **findings; /* the first is the top one; consequences behind their cause */
    size_t finding_count, finding_capacity;
    struct check *checks; /* in table order */
    size_t check_count, check_capacity;
    unsigned pass, warn, fail, skip, unknown; /* checks by status; info findings count as pass */
    bool strict;                              /* warnings count for exit_code (--strict) */
    enum exit_code exit_code;                 /* EXIT_DONE, EXIT_FOUND or EXIT_UNKNOWN */
};
/* Adds an empty finding; it stays where it is as long as the judgement does. */
struct finding *judgement_add(struct judgement *judgement);
/* What it says in one sentence; its cause where it has none. */
const char *finding_message(const struct finding *finding);
/* Puts its stop-gaps behind its other fixes; the order is else as it was. The first fix then does
 * not begin with "or". */
void finding_order_fixes(struct finding *finding);
/* Says its commands as they can be carried out on a system without a shell (Talos): with that
 * system's own tool, or in a pod. system: ID of os-release; NULL, and any other: as they are. */
void finding_fit_system(struct finding *finding, const char *system);
void judgement_free(struct judgement *judgement); /* accepts NULL */

#endif
