/* SPDX-License-Identifier: MIT */
#ifndef PROBE_REPOSITORY_OPENPGP_H
#define PROBE_REPOSITORY_OPENPGP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strlist.h"

/* What a keyring or a signed file says of its keys (RFC 4880, RFC 9580): IDs, dates, digests.
 * Nothing is verified: whether a signature is right, only the package manager's own program says.
 */

#define OPENPGP_ID_SIZE 17 /* "A4B469963BF863CC" */

/* A key that may sign: a primary one, or a subkey of it. */
struct openpgp_key {
    char id[OPENPGP_ID_SIZE];
    int64_t expires; /* seconds since 1970, by its newest self-signature; 0: never */
    bool weak;       /* only signatures of MD5, SHA-1 or RIPEMD-160 bind it */
    bool revoked;
};

struct openpgp_keys {
    struct openpgp_key *items;
    size_t count, capacity;
    bool unread; /* something in it could not be read: further keys may be there */
};
#define AUTO_OPENPGP_KEYS AUTO(openpgp_keys_free)
void openpgp_keys_free(struct openpgp_keys *keys);

/* Adds the keys of a keyring, binary or armored. False when it is neither (GnuPG's keybox). */
bool openpgp_read_keys(const char *bytes, size_t size, struct openpgp_keys *keys);

/* Adds the IDs of those who signed a clear-signed file (InRelease) or made a detached signature:
 * signers, and those of a signature of MD5 or SHA-1 to weak too. False when there is no signature
 * that can be read. */
bool openpgp_read_signers(const char *bytes, size_t size, struct strlist *signers,
                          struct strlist *weak);

#endif
