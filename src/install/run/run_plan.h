/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_RUN_PLAN_H
#define INSTALL_RUN_RUN_PLAN_H

#include "install/run/run.h"

struct error;

/* The versions, and what of each product is in the prefix already. */
bool run_find_change(struct run *run, struct error *error);
bool run_plan_product(struct run *run, size_t index, struct error *error);
bool run_plan_products(struct run *run, struct error *error);
/* The extent of what changes. */
enum extent run_extent(const struct run *run);

#endif
