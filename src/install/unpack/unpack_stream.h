/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_UNPACK_UNPACK_STREAM_H
#define INSTALL_UNPACK_UNPACK_STREAM_H

#include <archive.h>

#include "base/text.h"
#include "install/unpack/unpack_private.h"

struct error;

/* Private to unpack_stream.c, which reads members, and unpack_decode.c, which opens the archive and
 * takes the compression off: the two files that use libarchive. */

/* A tar goes through two readers: one decodes and leaves the bytes as they are, and the other gets
 * them in blocks. So all of them are counted and seen here, and the rest after the archive's end
 * is decoded and checked too. */
struct unpack_stream {
    const struct unpack_job *job;
    struct unpack_part part;   /* where in the file, or in a member of another archive, it is */
    uint64_t offset;           /* in the part */
    struct digest_stream *md5; /* of the bytes so far; NULL: none is to be compared */
    char *packed;              /* bytes of it */
    struct archive *decoder;   /* NULL: zip */
    struct archive *reader;
    const char *block; /* what the decoder gave last, from block_at on */
    size_t block_size;
    uint64_t block_at, decoded_max;
    bool begun, seeing;
    struct text seen; /* while seeing: the blocks before that one, from seen_at on */
    uint64_t seen_at;
    struct error *error; /* of the call that is being made, for callbacks */
};

/* The next unpacked bytes of a tar; size 0: there are none. */
bool unpack_decode(struct unpack_stream *stream, const char **ret_bytes, size_t *ret_size,
                   struct error *error);
/* Whether the file ends where its compressed bytes end. */
bool unpack_decode_ends(const struct unpack_stream *stream, struct error *error);

/* Fills error with libarchive's words, unless a callback has filled it; returns false. */
bool unpack_stream_fails(const struct unpack_stream *stream, struct archive *archive,
                         const char *member, struct error *error);

#endif
