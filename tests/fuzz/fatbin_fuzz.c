/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <stdlib.h>

#include "code/fatbin.h"

typedef bool list_function(struct reading *, const struct fatbin_place *, struct error *);

/* Fat binaries as they lie in a section of their own, and in data. */
static void list(const uint8_t *data, size_t size, list_function *function, bool whole)
{
    AUTO_CODE_LISTING struct code_listing listing = {0};
    AUTO_ERROR struct error error = {0};
    AUTO_FREE struct byte_window *window = byte_window_new();
    struct byte_source source = byte_source_memory(data, size);
    struct fatbin_place place = {.source = &source, .end = size};
    struct reading reading = {
        .listing = &listing, .whole = whole, .cubins_left = 8, .window = window};
    bool done = function(&reading, &place, &error);
    if (!done && error.kind != ERROR_DATA)
        abort();
    uint64_t bytes = 0;
    for (size_t i = 0; i < listing.count; i++)
        bytes += listing.entries[i].bytes;
    if (bytes > size || reading.entries > size / FATBIN_ENTRY_SIZE + 1)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    list(data, size, fatbin_walk, false);
    list(data, size, fatbin_search, true);
    return 0;
}
