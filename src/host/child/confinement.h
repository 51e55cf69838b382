/* SPDX-License-Identifier: MIT */
#ifndef HOST_CHILD_CONFINEMENT_H
#define HOST_CHILD_CONFINEMENT_H

#include <stdbool.h>

/* What the running kernel has to hold a child with; nothing is confined by asking. */

/* Landlock (Linux 5.13), where it is switched on: what a child may do to files. */
bool confinement_has_landlock(void);

/* Filters for system calls (seccomp(2), Linux 3.5), on an architecture that gpuenv has one for. */
bool confinement_has_seccomp(void);

#endif
