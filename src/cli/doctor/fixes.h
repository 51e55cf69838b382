/* SPDX-License-Identifier: MIT */
#ifndef CLI_DOCTOR_FIXES_H
#define CLI_DOCTOR_FIXES_H

#include "cli/engine/session.h"

struct error;
struct judgement;

/* doctor --fix and --yes. */
extern const struct option option_fix, option_yes;

/* Fails with a usage error where they do not go with what else is given: --yes is for the machine
 * that gpuenv runs on, as it is. */
bool fixes_check(const struct session *session, const struct arguments *arguments,
                 struct error *error);

/* What --fix --yes ran, and what it left because something before it failed. Start with {0}. */
struct fixes_ran {
    struct report_ran *items;
    size_t count, capacity;
};
void fixes_ran_free(struct fixes_ran *ran);

/* Runs the fixes of kind FIX_RUN of findings that fail or warn and follow from no other, each told
 * on stderr before and after, and adds them. What ran has already is not run again. One that
 * fails ends those of its finding. *ret_count: how many programs were run or left for that. False:
 * ERROR_PERMISSION, nothing was run, this user may not. */
bool fixes_run(const struct session *session, const struct judgement *judgement,
               struct fixes_ran *ran, size_t *ret_count, struct error *error);

#endif
