/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_CACHE_H
#define INSTALL_RUN_CACHE_H

#include "install/run/run.h"

struct error;
struct text;

/* The actions cache_show and cache_prune. */
bool run_cache(struct run *run, struct text *output, struct error *error);

#endif
