/* SPDX-License-Identifier: MIT */
#ifndef HOST_PACKED_CHECKSUM_H
#define HOST_PACKED_CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CRC-32 as gzip has it (RFC 1952), by zlib. It finds damage, not malice. */

/* Whether this build can: zlib is linked in where the distribution has it as an archive. */
bool checksum_is_known(void);

/* The checksum of the bytes behind those that checksum is of; 0 for none. */
uint32_t checksum_add(uint32_t checksum, const void *bytes, size_t size);

#endif
