/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_UNINSTALL_H
#define INSTALL_UNINSTALL_H

#include "install/verify.h"

/* Removes from a locked prefix what gpuenv put there. What was changed by hand (unless force) and
 * what others put there stays, and is added to ret_kept. With nothing to keep the prefix goes at
 * once, by one rename; otherwise file by file, the ledger last, so that a run that was killed can
 * be run again. */
bool uninstall_prefix(const struct prefix *prefix, bool force, struct strlist *ret_kept,
                      struct error *error);

#endif
