/* SPDX-License-Identifier: MIT */
#ifndef HOST_BYTE_FILE_H
#define HOST_BYTE_FILE_H

#include "base/byte_source.h"
#include "host/root/file.h"

/* A file as a source of bytes. */
#define AUTO_BYTE_FILE AUTO(byte_file_close)

/* Opens a regular file within the host's root; close it with byte_file_close(). Start with
 * BYTE_SOURCE_NONE. Anything but HOST_OK as host_open() says it. */
enum host_status byte_file_open(const struct host *host, const char *path,
                                struct byte_source *ret_source, struct error *error);
void byte_file_close(struct byte_source *source);

#endif
