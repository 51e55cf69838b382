/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_RUN_LOCK_H
#define INSTALL_RUN_RUN_LOCK_H

#include "install/run/run.h"

struct error;

/* --lock FILE: what it says is read into run->lock; the row of a product, NULL where
 * it is not used. */
bool run_lock_read(struct run *run, struct error *error);
const struct lockfile_product *run_locked(const struct run *run, const char *product);
/* True when it is used for all that it is asked for: run_plan_locked() then stands for plan_add().
 */
bool run_is_locked(const struct run *run);
/* Writes it from the plan, unless it says the same already. */
bool run_lock_write(struct run *run, struct error *error);

#endif
