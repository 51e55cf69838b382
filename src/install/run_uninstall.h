/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_UNINSTALL_H
#define INSTALL_RUN_UNINSTALL_H

#include "install/run/run.h"

struct error;
struct text;

bool run_uninstall(struct run *run, struct text *output, struct error *error);

#endif
