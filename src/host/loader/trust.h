/* SPDX-License-Identifier: MIT */
#ifndef HOST_LOADER_TRUST_H
#define HOST_LOADER_TRUST_H

#include <stdbool.h>

#include "host/root/file.h"
#include "host/loader/loader.h"

/* Whether gpuenv may run or load a file. An ordinary user may whatever he may anyway. Root may only
 * what nobody else can put another file in the place of: the file and every directory above it, on
 * every path it is reached by, belong to root and only root can write them (a sticky directory
 * counts as safe for entries of root's). False, and the reason in *ret_reason (free() it). */
bool trust_file(const struct host *host, const char *path, char **ret_reason);

/* The same for a library with all that it needs, found as the loader would find it, and for the
 * directories it would look into by LD_LIBRARY_PATH, RPATH and RUNPATH: a library may open others
 * by name. The reason names the file that would be loaded. True when nothing is found: dlopen(3)
 * then says why. */
bool trust_library(const struct host *host, const struct loader *loader, const char *soname,
                   char **ret_reason);

#endif
