/* SPDX-License-Identifier: MIT */
#ifndef BASE_LITTLE_ENDIAN_H
#define BASE_LITTLE_ENDIAN_H

#include <stdint.h>

/* Little-endian numbers out of bytes, whatever their alignment and the machine's own order. */
static inline unsigned load16(const unsigned char *bytes)
{
    return (unsigned)bytes[0] | (unsigned)bytes[1] << 8;
}

static inline uint32_t load32(const unsigned char *bytes)
{
    return (uint32_t)load16(bytes) | (uint32_t)load16(bytes + 2) << 16;
}

static inline uint64_t load64(const unsigned char *bytes)
{
    return (uint64_t)load32(bytes) | (uint64_t)load32(bytes + 4) << 32;
}

#endif
