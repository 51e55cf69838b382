/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PENDING_PARTS_H
#define INSTALL_PENDING_PARTS_H

#include "install/pending.h"

/* Private to pending*.c. */

/* The error of the last system call, on path in the prefix. */
bool pending_cannot(const struct prefix *prefix, const char *path, const char *what,
                    struct error *error);
char *pending_below(const char *path, const char *name);
/* A file of PREFIX/.gpuenv, whole under its name or not at all, on the disk. */
bool pending_write_ledger(const struct prefix *prefix, int holder, const char *name,
                          const struct ledger *ledger, struct error *error);

#endif
