/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PRINT_PRINT_MIRROR_H
#define INSTALL_PRINT_PRINT_MIRROR_H

#include "base/json.h"
#include "install/run/run.h"

struct text;

/* What mirror did, or would do: so many bytes came in so many files. */
void print_mirror(const struct run *run, uint64_t came, size_t files, struct text *output);

#endif
