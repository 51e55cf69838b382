/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_IO_LOCK_H
#define INSTALL_IO_LOCK_H

#include "base/error.h"

/* flock(2) on an open directory: no file stays behind, and it goes with the process that holds it.
 * Waits up to timeout_s; 0: not at all. ERROR_BUSY names the pid that holds it where /proc/locks
 * tells. where is what errors call it. */
bool lock_directory(int fd, unsigned timeout_s, const char *where, struct error *error);

#endif
