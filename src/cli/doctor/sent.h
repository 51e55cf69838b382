/* SPDX-License-Identifier: MIT */
#ifndef CLI_DOCTOR_SENT_H
#define CLI_DOCTOR_SENT_H

#include "cli/engine/options.h"
#include "cli/engine/session.h"

struct error;
struct facts;
struct judgement;

/* --from FILE…: a machine that is judged from what somebody sent. */

extern const struct option option_from;

/* False, ERROR_USAGE, where --from stands beside an option that names another machine. */
bool sent_check(const struct session *session, const struct arguments *arguments,
                struct error *error);

/* The record of all files: those of --from, and the command's words. read: a line for each, what
 * was read of it. causes: what the messages in them may come from, likeliest first. NULL:
 * ERROR_NO_INPUT for a file that cannot be read or is of no known kind, ERROR_DATA for one that is
 * too large or damaged. */
struct facts *sent_facts(const struct session *session, const struct arguments *arguments,
                         struct strlist *read, struct strlist *causes, struct error *error);

/* Adds those of causes whose checks lack a fact, if the top finding is a line of the log that no
 * finding explains: nothing in the files says which of them it is. */
void sent_possible(const struct judgement *judgement, const struct strlist *causes,
                   struct strlist *possible);

/* The command on that machine that would decide most of the checks that are undecided for want of a
 * fact, and the one that does so without gpuenv; a new string. read: what was sent already.
 * NULL: none is undecided. */
char *sent_ask(const struct judgement *judgement, const struct strlist *read);

/* Where no check could be made, no fault that was found says nothing: it is unknown. */
void sent_settle(struct judgement *judgement);

#endif
