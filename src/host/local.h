/* SPDX-License-Identifier: MIT */
#ifndef HOST_LOCAL_H
#define HOST_LOCAL_H

#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/* Files the user names on the command line: relative to the current directory of the process, not
 * below any root. */

/* Reads path ("-" is stdin) whole, at most max bytes. False: ERROR_NO_INPUT (missing, unreadable)
 * or ERROR_DATA (larger than max). */
bool local_read(const char *path, size_t max, struct text *ret_text, struct error *error);

/* True where nothing has that name. */
bool local_is_missing(const char *path);

/* Writes path whole or not at all: a temporary file beside it, synced, renamed over it. Special
 * files (/dev/stdout, a FIFO) are written to directly. False: ERROR_CANNOT_WRITE. */
bool local_write(const char *path, const char *bytes, size_t size, struct error *error);

/* path as an absolute one, from the current directory; free() it. Links are not resolved. */
char *local_absolute(const char *path);

/* The directory of the running program, links resolved ("/usr/bin"); free() it. NULL when
 * /proc/self/exe cannot be read. */
char *local_program_directory(void);

#endif
