/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_RUN_ARCHIVE_H
#define INSTALL_RUN_RUN_ARCHIVE_H

#include "install/run/run.h"

struct error;

/* Verified archives given by --archive. */
bool run_take_archives(struct run *run, struct error *error);

#endif
