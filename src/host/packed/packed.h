/* SPDX-License-Identifier: MIT */
#ifndef HOST_PACKED_PACKED_H
#define HOST_PACKED_PACKED_H

/* Files packed with gzip, xz or zstd, as kernel modules and pacman's databases are. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum packing { PACKING_NONE, PACKING_GZIP, PACKING_XZ, PACKING_ZSTD };

/* By the first bytes of a file. */
enum packing packing_of(const void *head, size_t size);

/* Whether this build can read it: the libraries are linked in where the distribution has them as
 * archives (cmake/dependencies.cmake). */
bool packing_is_known(enum packing packing);

/* The library that is linked in for it, "zlib", and its version; NULL where there is none. */
const char *packing_library(enum packing packing);
const char *packing_version(enum packing packing);

/* Calls each() with the unpacked bytes, in order, until it returns false, max bytes were given or
 * the file ends. Memory is bounded whatever the file says. NULL, or what is wrong with the file. */
#define PACKED_MEMORY (32u << 20)
const char *packed_read(int fd, enum packing packing, uint64_t max,
                        bool (*each)(const void *bytes, size_t size, void *data), void *data);

/* The same of a packed file that is in memory. */
const char *packed_read_bytes(const void *bytes, size_t size, enum packing packing, uint64_t max,
                              bool (*each)(const void *bytes, size_t size, void *data), void *data);

#endif
