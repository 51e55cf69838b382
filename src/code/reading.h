/* SPDX-License-Identifier: MIT */
#ifndef CODE_READING_H
#define CODE_READING_H

/* Private to code/: what the readers of the formats share. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/byte_window.h"
#include "base/error.h"
#include "code/code.h"

/* One look into one file. */
struct reading {
    struct code_listing *listing;
    bool whole;           /* data sections are searched to their ends */
    size_t entries;       /* counted so far, at most CODE_ENTRIES_MAX */
    uint64_t padding;     /* bytes between fat binaries, at most FATBIN_PADDING_MAX */
    unsigned cubins_left; /* that may still be asked which toolkit built them */
    struct byte_window *window;
};

/* Adds entry->count entries that say what entry says. False with ERROR_DATA beyond
 * CODE_DIFFERENT_MAX. */
bool listing_add(struct code_listing *listing, const struct code_entry *entry, struct error *error);

/* Takes "release 13.0" out of what a tool said of itself; keeps the words, when no toolkit is known
 * yet. size bytes, up to the first NUL. */
void listing_set_toolkit(struct code_listing *listing, const char *words, size_t size);

#endif
