/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PREFIX_PENDING_H
#define INSTALL_PREFIX_PENDING_H

#include "install/prefix/prefix.h"

struct error;
struct stage;
struct strlist;

/* Where two trees cannot be exchanged, a prefix becomes another one file by file, under a ledger
 * that says so: PREFIX/.gpuenv/pending.json, the ledger of what it is to become and the paths that
 * are not to stay, and PREFIX/.gpuenv/stage/new with all that is new. From the moment at which
 * pending.json is on the disk the change is only ever completed, by whoever comes next. */

/* Whether all that lies in "new" of the stage can get its place: what is in the way is gpuenv's,
 * and goes. ERROR_CANNOT_WRITE names what is not. stays and foreign: paths that must stay. */
bool pending_can_place(const struct prefix *prefix, const struct stage *stage,
                       const struct strlist *stays, const struct strlist *foreign,
                       struct error *error);
/* Everything staged, which is inside the prefix, is synced, and next is written down. Once
 * pending.json has its name the stage is the prefix's and prefix->is_pending is set, also where
 * false is returned because the disk did not confirm it. */
bool pending_begin(struct prefix *prefix, struct stage *stage, struct ledger *next,
                   struct error *error);
enum pending_begun {
    BEGUN_NOW,    /* by this run, which knows what it staged */
    BEGUN_BEFORE, /* by another one: every new file is held against its digest first */
};
/* Completes what was begun. prefix->ledger is then what it has become, with what it undoes. An
 * error leaves it pending; ERROR_DATA: what was staged is not there any more, or has other bytes,
 * and nothing was touched. */
bool pending_complete(struct prefix *prefix, enum pending_begun begun, struct error *error);
/* Gives up a change that cannot be completed, so that all of the prefix can be uninstalled:
 * prefix->ledger has what either state has, and is what uninstalling.json on the disk says. */
bool pending_abandon(struct prefix *prefix, struct error *error);
/* The words and the next step of a change that stays pending, before what error says. False. */
bool pending_stays(struct error *error);

#endif
