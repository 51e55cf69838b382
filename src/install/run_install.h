/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_INSTALL_H
#define INSTALL_RUN_INSTALL_H

#include "install/run/run.h"

struct error;
struct text;

/* plan and install. */
bool run_plan(struct run *run, struct text *output, struct error *error);
bool run_install(struct run *run, struct text *output, struct error *error);
/* Parts of a plan: mirrors and cache, sums, room, --accept-eula. */
bool run_open_sources(struct run *run, struct error *error);
bool run_open_cache(struct run *run, struct error *error);
bool run_sum_plan(struct run *run, struct error *error);
bool run_licences_accepted(const struct run *run, struct error *error);

#endif
