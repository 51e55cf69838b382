/* SPDX-License-Identifier: MIT */
#ifndef BASE_BYTE_WINDOW_H
#define BASE_BYTE_WINDOW_H

#include "base/byte_source.h"

/* Bytes of a source that were read together. It compares sources by their address: whoever reads
 * another source that may be at the same one sets source to NULL before. */
#define BYTE_WINDOW_SIZE 65536u
struct byte_window {
    const struct byte_source *source;
    uint64_t start;
    size_t size;
    unsigned char bytes[BYTE_WINDOW_SIZE];
};

/* An empty one; free() it. */
struct byte_window *byte_window_new(void);

/* The need bytes at offset (at most BYTE_WINDOW_SIZE), valid until the next call: from those at
 * hand, or read, with up to ahead bytes (at most BYTE_WINDOW_SIZE) where the source has them. NULL
 * with a filled error, beyond the end as byte_source_read(). */
const unsigned char *byte_window_at(struct byte_window *window, const struct byte_source *source,
                                    uint64_t offset, size_t need, size_t ahead, const char *what,
                                    struct error *error);

/* How many bytes from offset on byte_window_at() gives without a read. */
size_t byte_window_left(const struct byte_window *window, const struct byte_source *source,
                        uint64_t offset);

#endif
