/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_IO_SOURCE_PATH_H
#define INSTALL_IO_SOURCE_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* True for a path that may stand below a mirror: relative, no empty, "." or ".." step, no control
 * character, no backslash, at most 1024 bytes (M08). */
bool source_path_is_safe(const char *path);
/* The same for a path of any origin: a backslash is a character like others. */
bool source_path_is_inward(const char *path, size_t limit);

#endif
