/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_USE_H
#define INSTALL_RUN_USE_H

#include "install/run/run.h"

struct error;
struct text;

bool run_use(struct run *run, struct text *output, struct error *error);

#endif
