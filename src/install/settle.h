/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_SETTLE_H
#define INSTALL_SETTLE_H

#include "base/json.h"
#include "install/run/run.h"

struct error;
struct text;

/* What belongs to an installation and is not in its prefix: the link (--use) and the loader's
 * configuration (--ldconfig), each only on request. */

/* Refuses what could not be done, and notes in run what would be. */
bool settle_check(struct run *run, struct error *error);
/* Does what was asked for; the prefix is there, and locked. */
bool settle(struct run *run, struct error *error);
/* Before the prefix goes: takes away the link to it and its configuration of the loader. */
bool settle_undo(struct run *run, struct error *error);
/* Adds to an error of the removal that comes after it what settle_undo() took away. False. */
bool settle_was_undone(const struct run *run, struct error *error);
/* The action link. */
bool settle_use(struct run *run, struct text *output, struct error *error);

#endif
