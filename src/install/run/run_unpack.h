/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_RUN_UNPACK_H
#define INSTALL_RUN_RUN_UNPACK_H

#include "install/run/run.h"

struct error;
struct stage;

/* Archives, fetched, verified and unpacked side by side, become the directory name of the stage, to
 * join what is kept, which may be NULL. */
bool run_unpack(struct run *run, struct stage *stage, const char *name, struct ledger *kept,
                struct ledger *ledger, struct error *error);

#endif
