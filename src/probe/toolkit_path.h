/* SPDX-License-Identifier: MIT */
#ifndef PROBE_TOOLKIT_PATH_H
#define PROBE_TOOLKIT_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strlist.h"
#include "host/file.h"

/* Paths as text, and looking below a directory whose own name is taken literally (it may come from
 * the environment and hold wildcards). Returned strings are the caller's. */

char *path_join(const char *directory, const char *name);
char *path_parent(const char *path);     /* "/" for "/usr" and "/"; path is absolute */
const char *path_base(const char *path); /* what follows the last slash; points into path */

/* True when one of the directories or the last part of path is named component. */
bool path_has_component(const char *path, const char *component);

/* True when path is directory, or lies below it. */
bool path_is_below(const char *path, const char *directory);

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
