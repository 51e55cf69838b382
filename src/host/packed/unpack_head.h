/* SPDX-License-Identifier: MIT */
#ifndef HOST_PACKED_UNPACK_HEAD_H
#define HOST_PACKED_UNPACK_HEAD_H

#include <stddef.h>

/* Unpacks the beginning of what zstd wrote (RFC 8878), of which size bytes are there, into room
 * bytes. Returns how many were written: as far as the bytes and the room go, and as they are sound.
 * 0 where this build cannot unpack zstd. */
size_t unpack_zstd_head(const void *packed, size_t size, void *buffer, size_t room);

#endif
