/* SPDX-License-Identifier: MIT */
#ifndef PROBE_SERVICE_PROGRAM_H
#define PROBE_SERVICE_PROGRAM_H

#include "base/strlist.h"
#include "host/root/host.h"

/* Programs that engines start: by a path, or by a bare name, which they look up in PATH. */

/* True when it is there. name may be NULL. */
bool program_exists(const struct host *host, const char *name);

/* Why a program that is there cannot be started, as words behind its path ("is a directory"); NULL:
 * nothing is wrong with it, or it is not there, or that cannot be seen. The caller frees it. */
char *program_flaw(const struct host *host, const char *path);

/* Adds those that are not there to missing. */
void programs_missing(const struct host *host, const struct strlist *programs,
                      struct strlist *missing);

/* Adds those that are there and cannot be started to flawed, each as "PATH REASON". */
void programs_flawed(const struct host *host, const struct strlist *programs,
                     struct strlist *flawed);

#endif
