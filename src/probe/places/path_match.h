/* SPDX-License-Identifier: MIT */
#ifndef PROBE_PLACES_PATH_MATCH_H
#define PROBE_PLACES_PATH_MATCH_H

#include <stdbool.h>

#include "base/strlist.h"
#include "host/root/file.h"

/* Looking below a directory whose own name is taken literally (it may come from the environment and
 * hold wildcards). */

/* Adds directory/pattern for every match that exists; each component of pattern ("lib/python3*")
 * may hold the wildcards of fnmatch(3). Sorted within each directory; at most PATH_MATCH_MAX. */
#define PATH_MATCH_MAX 512
void path_match(const struct host *host, const char *directory, const char *pattern,
                struct strlist *paths);
bool path_matches(const struct host *host, const char *directory, const char *pattern);

/* Adds the absolute directories of a colon-separated list (PATH), each once; the value may be NULL.
 * False when there are more than PATH_LIST_MAX, and the rest was left out. */
#define PATH_LIST_MAX 4096
bool path_list(const char *value, struct strlist *directories);

#endif
