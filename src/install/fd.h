/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_FD_H
#define INSTALL_FD_H

#include "base/text.h"

#include "base/error.h"

/* All bytes, however often write(2) is interrupted or takes less. errno tells why it failed. */
bool fd_write_all(int fd, const char *bytes, size_t size);

/* From the present offset to the end, at most max bytes: more is ERROR_DATA. where is what errors
 * call the file. */
bool fd_read_all(int fd, size_t max, const char *where, struct text *ret_text, struct error *error);

#endif
