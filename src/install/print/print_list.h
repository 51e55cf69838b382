/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PRINT_PRINT_LIST_H
#define INSTALL_PRINT_PRINT_LIST_H

#include "install/run/run.h"

struct error;
struct text;

/* Looks for prefixes in the usual places, and at the request's. */
bool print_list(struct run *run, struct text *output, struct error *error);

#endif
