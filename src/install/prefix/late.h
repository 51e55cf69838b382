/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PREFIX_LATE_H
#define INSTALL_PREFIX_LATE_H

#include "install/prefix/exchange.h"

struct error;
struct strlist;

/* What others put into a prefix, or saved there, after it was looked at and before another tree
 * took its place: nothing of it is lost. */

/* from is what was the prefix. What the new tree at the prefix lacks of it, or has an older file
 * of, is moved into it; directories on the way are made like the old ones, the prefix too where
 * there is none. What has the name of a new file gets ".kept" behind its own. ret_kept (may be
 * NULL): the paths of what was moved. False: something could not be moved, and the old tree must
 * not be removed. */
bool late_take(const struct exchange *exchange, int from, struct strlist *ret_kept,
               struct error *error);

#endif
