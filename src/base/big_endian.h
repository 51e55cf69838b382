/* SPDX-License-Identifier: MIT */
#ifndef BASE_BIG_ENDIAN_H
#define BASE_BIG_ENDIAN_H

#include <stdint.h>

/* Big-endian numbers out of bytes, as base/little_endian.h has the others. */
static inline unsigned load16_big(const unsigned char *bytes)
{
    return (unsigned)bytes[0] << 8 | (unsigned)bytes[1];
}

static inline uint32_t load32_big(const unsigned char *bytes)
{
    return (uint32_t)load16_big(bytes) << 16 | (uint32_t)load16_big(bytes + 2);
}

#endif
