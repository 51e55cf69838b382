/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_RUN_LEDGER_H
#define INSTALL_RUN_RUN_LEDGER_H

#include "install/run/run.h"

struct error;
struct stage;

/* What the ledger says before the first file, and its file in the staged tree. */
void run_ledger_begin(const struct run *run, struct ledger *ledger);
bool run_ledger_write(const struct stage *stage, const char *tree, const struct ledger *ledger,
                      struct error *error);
bool run_ledger_can_be_read(const struct ledger *ledger, struct error *error);

#endif
