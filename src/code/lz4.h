/* SPDX-License-Identifier: MIT */
#ifndef CODE_LZ4_H
#define CODE_LZ4_H

#include <stddef.h>

/* Unpacks the beginning of an LZ4 block ("LZ4 Block Format Description", lz4/lz4), of which size
 * bytes are there, into room bytes. Returns how many were written: as far as the bytes and the room
 * go, and as the block is sound. */
size_t lz4_unpack(const unsigned char *packed, size_t size, unsigned char *buffer, size_t room);

#endif
