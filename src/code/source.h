/* SPDX-License-Identifier: MIT */
#ifndef CODE_SOURCE_H
#define CODE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "host/root/host.h"

/* Bytes that can be read at any offset: a file, memory, a part of another source, a member of a
 * wheel. Readers ask for few bytes at a time and never for a payload. Within one ELF image they ask
 * for ascending offsets but for a few turns back (the section headers are at its end), so that a
 * source that has to unpack can start anew at a turn. */
struct code_source {
    uint64_t size; /* of the whole; what is at or beyond it is never asked for */

    /* Exactly count bytes at offset (offset + count is at most size). False with a filled error
     * when the bytes cannot be had: I/O error, a file that became shorter, a bad stream. */
    bool (*read)(const struct code_source *source, uint64_t offset, void *buffer, size_t count,
                 struct error *error);

    /* What is behind it, for read() alone. */
    const struct code_source *of; /* a part: of what */
    const void *data;             /* memory, or what a source of another kind keeps */
    uint64_t start;               /* a part: where it begins in `of` */
    int fd;                       /* a file */
};

#define AUTO_CODE_SOURCE AUTO(code_source_close)
#define CODE_SOURCE_NONE                                                                           \
    (struct code_source)                                                                           \
    {                                                                                              \
        .fd = -1                                                                                   \
    }

/* Opens a regular file within the host's root; close it with code_source_close(). Start with
 * CODE_SOURCE_NONE. ERROR_NO_INPUT when it cannot be opened. */
bool code_source_open(const struct host *host, const char *path, struct code_source *ret_source,
                      struct error *error);
void code_source_close(struct code_source *source);

/* Memory, and a part of another source. Both stay the caller's and must outlive the source; there
 * is nothing to close. A part that reaches beyond `of` is cut at its end. */
struct code_source code_source_memory(const void *bytes, size_t size);
struct code_source code_source_part(const struct code_source *of, uint64_t start, uint64_t size);

/* Where the first byte is in the whole of which source is a part. */
uint64_t code_source_origin(const struct code_source *source);

/* Reads count bytes at offset, each checked against the size of the source: beyond its end is
 * ERROR_DATA "…: truncated", with the offset and what was to be read there. */
bool code_source_read(const struct code_source *source, uint64_t offset, void *buffer, size_t count,
                      const char *what, struct error *error);

#endif
