/* SPDX-License-Identifier: MIT */
#ifndef PROBE_SYSTEM_PACKAGE_WANTED_H
#define PROBE_SYSTEM_PACKAGE_WANTED_H

#include <stdbool.h>

/* Whether a package matters here: NVIDIA's driver, CUDA, their libraries, and what builds or runs
 * them. */
bool package_is_wanted(const char *name);

#endif
