/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_MIRROR_H
#define INSTALL_RUN_MIRROR_H

#include "install/run/run.h"

struct error;
struct text;

/* mirror. */
bool run_mirror(struct run *run, struct text *output, struct error *error);

#endif
