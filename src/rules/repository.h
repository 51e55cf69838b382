/* SPDX-License-Identifier: MIT */
#ifndef RULES_REPOSITORY_H
#define RULES_REPOSITORY_H

#include "facts/facts.h"

/* Packages of NVIDIA's own repository, which a fresh system does not know. */

/* The command with what sets the repository up before it, on one line; the command alone where the
 * repository is set up already, or where none is known for this system. free() it. Source:
 * https://developer.download.nvidia.com/compute/cuda/repos */
char *repository_command(const struct facts *facts, const char *command);

#endif
