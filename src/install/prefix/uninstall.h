/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PREFIX_UNINSTALL_H
#define INSTALL_PREFIX_UNINSTALL_H

#include "install/prefix/verify.h"

struct error;
struct strlist;

/* What would stay: what was changed by hand (unless force), what others put there, and a directory
 * that others made in the place of a file. */
bool uninstall_look(const struct prefix *prefix, bool force, struct strlist *ret_kept,
                    struct error *error);
/* Removes from a locked prefix what gpuenv put there but kept, to which what others put there
 * meanwhile is added. Where the file system can, that is
 * one rename: the prefix goes, or is exchanged with a tree of what is kept. Otherwise file by file
 * under a ledger that is set aside first and goes last: until then the prefix says that an
 * uninstall was begun, and the same again ends it. */
bool uninstall_remove(const struct prefix *prefix, struct strlist *kept, struct error *error);

#endif
