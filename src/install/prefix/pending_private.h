/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PREFIX_PENDING_PRIVATE_H
#define INSTALL_PREFIX_PENDING_PRIVATE_H

#include "install/prefix/pending.h"
#include "install/prefix/verify.h"

struct error;

/* Private to pending*.c. */

/* The error of the last system call, on path in the prefix. */
bool pending_cannot(const struct prefix *prefix, const char *path, const char *what,
                    struct error *error);
char *pending_below(const char *path, const char *name);
/* A new file has the name of what is not gpuenv's. False. */
bool pending_refuse_foreign(const struct prefix *prefix, const char *path, struct error *error);
/* A file of PREFIX/.gpuenv, whole under its name or not at all, on the disk. *ret_named: it has its
 * name, also where false is returned because the disk does not confirm that. */
bool pending_write_ledger(const struct prefix *prefix, int holder, const char *name,
                          const struct ledger *ledger, bool *ret_named, struct error *error);
/* pending.json; holder is PREFIX/.gpuenv. */
bool pending_read(const struct prefix *prefix, int holder, struct ledger *ret_next,
                  struct error *error);
/* Holds what next brings against its rows: in fresh (what was staged; -1: nothing is left of it) or
 * in fd, the prefix. ERROR_DATA names what is missing or has other bytes. */
bool pending_check(const struct prefix *prefix, const struct ledger *next, int fresh, int fd,
                   enum verify_depth depth, struct error *error);

#endif
