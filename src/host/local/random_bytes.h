/* SPDX-License-Identifier: MIT */
#ifndef HOST_LOCAL_RANDOM_BYTES_H
#define HOST_LOCAL_RANDOM_BYTES_H

#include <stdbool.h>
#include <stddef.h>

/* Fills bytes (at most 256) with the kernel's random numbers: getrandom(2) (Linux 3.17), by its
 * number, since glibc before 2.25 has no function for it; without it, /dev/urandom. False: errno
 * tells. */
bool random_bytes(void *bytes, size_t size);

#endif
