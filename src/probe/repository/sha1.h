/* SPDX-License-Identifier: MIT */
#ifndef PROBE_REPOSITORY_SHA1_H
#define PROBE_REPOSITORY_SHA1_H

#include <stddef.h>
#include <stdint.h>

/* SHA-1 (FIPS 180-4), for the IDs of OpenPGP keys of version 4. It protects nothing. */
#define SHA1_SIZE 20

struct sha1 {
    uint32_t state[5];
    uint64_t size; /* bytes so far */
    unsigned char block[64];
};
struct sha1 sha1_start(void);
void sha1_add(struct sha1 *sha1, const unsigned char *bytes, size_t size);
void sha1_end(struct sha1 *sha1, unsigned char ret_digest[static SHA1_SIZE]);

#endif
