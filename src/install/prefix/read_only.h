/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PREFIX_READ_ONLY_H
#define INSTALL_PREFIX_READ_ONLY_H

#include "install/prefix/prefix.h"

struct error;

/* Whether a file system can be written to at all, before anything is fetched, so that a plan says
 * what the change would say. A missing permission is not looked for: a plan may be made before
 * sudo. */

/* False, ERROR_CANNOT_WRITE: what would hold the prefix, or the prefix that is to be changed, is on
 * a file system that is read-only, or one of the kernel's (/proc, /sys). */
bool read_only_check_prefix(const struct prefix *prefix, struct error *error);

/* The same for a directory that a mirror is, or is to become. */
bool read_only_check_mirror(const char *path, struct error *error);

#endif
