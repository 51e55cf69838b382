/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_UPDATE_H
#define INSTALL_RUN_UPDATE_H

#include "install/run/run.h"

struct error;
struct text;

/* gpuenv manifest update. The run's manifest is then the built-in one. */
bool run_update(struct run *run, struct text *output, struct error *error);

#endif
