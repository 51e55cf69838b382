/* SPDX-License-Identifier: MIT */
#ifndef RULES_REMEDY_REPOSITORY_H
#define RULES_REMEDY_REPOSITORY_H

#include "facts/facts.h"
#include "manifest/package/package.h"

struct manifest;

/* Packages of NVIDIA's own repository, which a fresh system does not know. */

/* The system as the manifest's packages know it. Strings belong to the record. */
struct manifest_system distribution_system(const struct facts *facts);
/* The same for NVIDIA's repositories, which have one of their own for WSL. */
struct manifest_system repository_system(const struct facts *facts);

/* The command with what sets the repository up before it, on one line; the command alone where the
 * repository is set up already, or where none is known for this system. free() it. */
char *repository_command(const struct facts *facts, struct manifest *manifest, const char *command);

/* What sets NVIDIA's repository of this system up, on one line, whether it is or not; NULL: none is
 * known for it. free() it. */
char *repository_setup(const struct facts *facts, struct manifest *manifest);

/* Whether the driver that is installed comes from NVIDIA's repository, or would: on Debian, whose
 * own packages have the same names, apt takes the newer ones there. */
bool repository_has_the_driver(const struct facts *facts);

#endif
