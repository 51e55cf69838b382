/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PENDING_H
#define INSTALL_PENDING_H

#include "install/prefix.h"

/* Where two trees cannot be exchanged, a prefix becomes another one file by file, under a ledger
 * that says so: PREFIX/.gpuenv/pending.json, the ledger of what it is to become and the paths that
 * are not to stay, and PREFIX/.gpuenv/stage/new with all that is new. From the moment at which
 * pending.json is on the disk the change is only ever completed, by whoever comes next. */

/* Whether all that lies in "new" of the stage can get its place: what is in the way is gpuenv's,
 * and goes. ERROR_CANNOT_WRITE names what is not. stays and foreign: paths that must stay. */
bool pending_can_place(const struct prefix *prefix, const struct stage *stage,
                       const struct strlist *stays, const struct strlist *foreign,
                       struct error *error);
/* Everything staged, which is inside the prefix, is synced, and next is written down. After that
 * the stage is the prefix's: not to be closed. */
bool pending_begin(struct prefix *prefix, struct stage *stage, struct ledger *next,
                   struct error *error);
/* Completes what was begun. prefix->ledger is then what it has become. An error leaves it pending.
 */
bool pending_complete(struct prefix *prefix, struct error *error);

#endif
