/* SPDX-License-Identifier: MIT */
#ifndef BASE_BYTE_SOURCE_H
#define BASE_BYTE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Bytes that can be read at any offset: a file (host/root/byte_file.h), memory, a part of another
 * source, a member of a wheel. Readers ask for few bytes at a time and never for a payload. Within
 * one ELF image they ask for ascending offsets but for a few turns back (the section headers are at
 * its end), so that a source that has to unpack can start again at a turn. */
struct byte_source {
    uint64_t size; /* of the whole; what is at or beyond it is never asked for */

    /* Exactly count bytes at offset (offset + count is at most size). False with a filled error
     * when the bytes cannot be had: I/O error, a file that became shorter, a bad stream. */
    bool (*read)(const struct byte_source *source, uint64_t offset, void *buffer, size_t count,
                 struct error *error);

    /* What is behind it, for read() alone. */
    const struct byte_source *of; /* a part: of what */
    const void *data;             /* memory, or what a source of another kind keeps */
    uint64_t start;               /* a part: where it begins in `of` */
    int fd;                       /* a file */
};

#define BYTE_SOURCE_NONE                                                                           \
    (struct byte_source)                                                                           \
    {                                                                                              \
        .fd = -1                                                                                   \
    }

/* Memory, and a part of another source. Both stay the caller's and must outlive the source; there
 * is nothing to close. A part that reaches beyond `of` is cut at its end. */
struct byte_source byte_source_memory(const void *bytes, size_t size);
struct byte_source byte_source_part(const struct byte_source *of, uint64_t start, uint64_t size);

/* Where the first byte is in the whole of which source is a part. */
uint64_t byte_source_origin(const struct byte_source *source);

/* Reads count bytes at offset, each checked against the size of the source: beyond its end is
 * ERROR_DATA "…: truncated", with the offset and what was to be read there. */
bool byte_source_read(const struct byte_source *source, uint64_t offset, void *buffer, size_t count,
                      const char *what, struct error *error);

/* ERROR_DATA "not a valid CONTAINER", with "offset 0x…: " in the whole file and the reason; false.
 */
bool byte_source_malformed(struct error *error, const char *container,
                           const struct byte_source *source, uint64_t offset, const char *format,
                           ...) __attribute__((format(printf, 5, 6)));

#endif
