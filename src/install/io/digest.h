/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_IO_DIGEST_H
#define INSTALL_IO_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/fields.h"

/* SHA-256 (FIPS 180-4), by libcrypto. */
struct digest {
    unsigned char bytes[32];
};
#define DIGEST_HEX_SIZE 65

/* Exactly 64 hexadecimal digits, either case. Anything else is false and leaves *ret_digest. */
bool digest_parse(const char *hex, struct digest *ret_digest);
const char *digest_hex(const struct digest *digest, char buffer[static DIGEST_HEX_SIZE]);
/* struct digest, from 64 hexadecimal digits. */
extern const struct field_type field_digest;
bool digest_equal(const struct digest *a, const struct digest *b);

/* A running digest. ERROR_INTERNAL with OpenSSL's own words when libcrypto refuses. */
struct digest_stream;
struct digest_stream *digest_stream_new(struct error *error);
bool digest_stream_add(struct digest_stream *stream, const void *bytes, size_t size,
                       struct error *error);
bool digest_stream_finish(struct digest_stream *stream, struct digest *ret_digest,
                          struct error *error);
void digest_stream_free(struct digest_stream *stream);

/* MD5 (RFC 1321), which tells damage and proves nothing. NULL: this libcrypto has none (FIPS); that
 * is no error. digest_stream_finish_md5() takes such a stream alone. */
#define DIGEST_MD5_SIZE 16
struct digest_stream *digest_stream_new_md5(void);
bool digest_stream_finish_md5(struct digest_stream *stream,
                              unsigned char ret_md5[static DIGEST_MD5_SIZE], struct error *error);

bool digest_of_bytes(const void *bytes, size_t size, struct digest *ret_digest,
                     struct error *error);
/* All of an open regular file from byte 0, by pread(2): its offset stays. More than limit bytes is
 * ERROR_DATA. where is what errors call the file. */
bool digest_of_file(int fd, uint64_t limit, const char *where, struct digest *ret_digest,
                    uint64_t *ret_size, struct error *error);

#endif
