/* SPDX-License-Identifier: MIT */
#ifndef CODE_READING_H
#define CODE_READING_H

/* Private to code/: what the readers of the formats share. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "code/code.h"
#include "code/source.h"

/* One look into one file. */
struct reading {
    struct code_listing *listing;
    bool whole;           /* data sections are searched to their ends */
    size_t entries;       /* counted so far, at most CODE_ENTRIES_MAX */
    uint64_t padding;     /* bytes between fat binaries, at most FATBIN_PADDING_MAX */
    unsigned cubins_left; /* that may still be asked which toolkit built them */
    struct window *window;
};

/* Bytes of a source that were read together. */
#define WINDOW_SIZE 65536u
struct window {
    const struct code_source *source;
    uint64_t start;
    size_t size;
    unsigned char bytes[WINDOW_SIZE];
};

/* The need bytes at offset, valid until the next call: from those at hand, or read, with up to
 * ahead bytes (at most WINDOW_SIZE) where the source has them. NULL with a filled error, beyond the
 * end as code_source_read(). */
const unsigned char *window_at(struct window *window, const struct code_source *source,
                               uint64_t offset, size_t need, size_t ahead, const char *what,
                               struct error *error);

/* How many bytes from offset on window_at() gives without a read. */
size_t window_left(const struct window *window, const struct code_source *source, uint64_t offset);

/* ERROR_DATA "not a valid CONTAINER", with "offset 0x…: " in the whole file and the reason; false.
 */
bool code_malformed(struct error *error, const char *container, const struct code_source *source,
                    uint64_t offset, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Adds entry->count entries that say what entry says. False with ERROR_DATA beyond
 * CODE_DIFFERENT_MAX. */
bool listing_add(struct code_listing *listing, const struct code_entry *entry, struct error *error);

/* Takes "release 13.0" out of what a tool said of itself; keeps the words, when no toolkit is known
 * yet. size bytes, up to the first NUL. */
void listing_set_toolkit(struct code_listing *listing, const char *words, size_t size);

#endif
