/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_CACHE_H
#define INSTALL_RUN_CACHE_H

#include "install/run.h"

/* The actions cache_show and cache_prune. */
bool run_cache(struct run *run, struct text *output, struct error *error);

#endif
