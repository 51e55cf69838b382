/* SPDX-License-Identifier: MIT */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include <stdbool.h>

struct strlist;

/* Paths as text: nothing is looked at, no link is resolved. New strings are the caller's to free().
 */
char *path_join(const char *directory, const char *name); /* one '/' between them */
char *path_parent(const char *path);     /* "/" for "/usr", "/", and a path without a '/' */
const char *path_base(const char *path); /* what follows the last '/'; points into path */

/* True when one of the directories or the last part of path is named component. */
bool path_has_component(const char *path, const char *component);

/* True when path is directory, or lies below it. */
bool path_is_below(const char *path, const char *directory);

/* True when the last part of one of the paths is name. Either may be NULL: none is. */
bool path_is_named(const struct strlist *paths, const char *name);

#endif
