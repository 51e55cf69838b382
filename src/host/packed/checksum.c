/* SPDX-License-Identifier: MIT */
#include "host/packed/checksum.h"

#ifdef GPUENV_HAVE_ZLIB
#include <zlib.h>

bool checksum_is_known(void)
{
    return true;
}

uint32_t checksum_add(uint32_t checksum, const void *bytes, size_t size)
{
    return (uint32_t)crc32_z(checksum, bytes, size);
}
#else
bool checksum_is_known(void)
{
    return false;
}

uint32_t checksum_add(uint32_t checksum, const void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    return checksum;
}
#endif
