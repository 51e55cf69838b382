/* SPDX-License-Identifier: MIT */
#ifndef HOST_LOCAL_LOCAL_H
#define HOST_LOCAL_LOCAL_H

#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/* Files the user names on the command line: relative to the current directory of the process, not
 * below any root. */

/* Reads path whole, at most max bytes. "-" is stdin; it and the descriptors that /dev/fd/N and its
 * like name (host/root/input.h) may be of any kind, anything else is a regular file. False:
 * ERROR_NO_INPUT (missing, unreadable, no file) or ERROR_DATA (larger than max). */
bool local_read(const char *path, size_t max, struct text *ret_text, struct error *error);

/* True where nothing has that name. */
bool local_is_missing(const char *path);

/* Writes path whole or not at all: a temporary file beside it, synced, renamed over it. Special
 * files (/dev/stdout, a FIFO) are written to directly; a FIFO that nobody reads is not waited for.
 * False: ERROR_CANNOT_WRITE; where the file is written and only its directory could not be synced,
 * the error says so. */
bool local_write(const char *path, const char *bytes, size_t size, struct error *error);

/* Writes a file that is not there yet, whole or not at all, and makes the directories that lead to
 * it; executable: others may run it as far as umask(2) lets them. False: ERROR_CANNOT_WRITE, also
 * where something has that name. */
bool local_write_new(const char *path, const char *bytes, size_t size, bool executable,
                     struct error *error);

/* Whether local_write() can begin: false, with its error, where no file can be made in the
 * directory (one without content is, and is removed), or where path is a directory, a socket, a
 * file or a descriptor that cannot be written to. */
bool local_can_write(const char *path, struct error *error);

/* path as an absolute one, from the current directory; free() it. Links are not resolved. */
char *local_absolute(const char *path);

/* The running program's file, links resolved ("/usr/bin/gpuenv"); free() it. NULL when
 * /proc/self/exe cannot be read. */
char *local_program(void);

/* The directory of the running program, links resolved ("/usr/bin"); free() it. NULL when
 * /proc/self/exe cannot be read. */
char *local_program_directory(void);

#endif
