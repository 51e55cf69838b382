/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_OURS_H
#define INSTALL_RUN_OURS_H

#include "install/run/run.h"

struct error;

/* ERROR_NO_INPUT where the prefix is not gpuenv's, or has not what the request names. */
bool run_needs_ours(const struct run *run, struct error *error);

#endif
