/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_RUN_LOCK_PLAN_H
#define INSTALL_RUN_RUN_LOCK_PLAN_H

#include "install/run/run.h"

struct error;

/* The archives that it names for a platform. ERROR_DATA: the proved list of archives says otherwise
 *. */
bool run_plan_locked(struct run *run, size_t product, const char *platform, struct error *error);
/* Whether the ledger has these archives and no others. */
bool run_lock_is_installed(const struct run *run);

#endif
