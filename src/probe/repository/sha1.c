/* SPDX-License-Identifier: MIT */
#include "probe/repository/sha1.h"

#include "base/big_endian.h"

static uint32_t rotate(uint32_t value, unsigned count)
{
    return value << count | value >> (32 - count);
}

/* The function and the constant of round i. */
static uint32_t mix(unsigned i, uint32_t b, uint32_t c, uint32_t d)
{
    if (i < 20)
        return ((b & c) | (~b & d)) + 0x5a827999u;
    if (i < 40)
        return (b ^ c ^ d) + 0x6ed9eba1u;
    if (i < 60)
        return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcu;
    return (b ^ c ^ d) + 0xca62c1d6u;
}

static void add_block(uint32_t state[static 5], const unsigned char block[static 64])
{
    uint32_t w[80];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (unsigned i = 0; i < 16; i++)
        w[i] = load32_big(block + 4 * i);
    for (unsigned i = 16; i < 80; i++)
        w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (unsigned i = 0; i < 80; i++) {
        uint32_t next = rotate(a, 5) + mix(i, b, c, d) + e + w[i];
        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
}

struct sha1 sha1_start(void)
{
    return (struct sha1){
        .state = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u}};
}

void sha1_add(struct sha1 *sha1, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        sha1->block[sha1->size++ % 64] = bytes[i];
        if (sha1->size % 64 == 0)
            add_block(sha1->state, sha1->block);
    }
}

void sha1_end(struct sha1 *sha1, unsigned char ret_digest[static SHA1_SIZE])
{
    static const unsigned char padding[64] = {0x80};
    uint64_t bits = sha1->size * 8;
    unsigned char length[8];
    for (unsigned i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    sha1_add(sha1, padding, 1 + (119 - sha1->size % 64) % 64);
    sha1_add(sha1, length, sizeof(length));
    for (unsigned i = 0; i < SHA1_SIZE; i++)
        ret_digest[i] = (unsigned char)(sha1->state[i / 4] >> (24 - 8 * (i % 4)));
}
