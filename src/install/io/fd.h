/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_IO_FD_H
#define INSTALL_IO_FD_H

#include "base/text.h"

#include "base/error.h"

/* What a script can do about it when writing failed: ERROR_PERMISSION for EACCES and EPERM, else
 * ERROR_CANNOT_WRITE. */
enum error_kind fd_error_kind(int number);

/* A regular file that nobody but this user (and root) can write: what another wrote is not
 * believed.
 */
bool fd_is_ours(int fd);

/* fsync(2) of a directory whose entries were changed. True too where the file system has none for
 * directories (EINVAL, as of folders that a virtual machine shares): nothing can be waited for. */
bool fd_sync_directory(int fd);
/* What to say when that fails after something has got or lost its name: done says what was done
 * ("the link is set"), errno why the disk does not confirm it. False. ERROR_CANNOT_WRITE. */
bool fd_not_confirmed(const char *done, const char *where, struct error *error);

/* From the present offset to the end, at most max bytes: more is ERROR_DATA. where is what errors
 * call the file. */
bool fd_read_all(int fd, size_t max, const char *where, struct text *ret_text, struct error *error);

#endif
