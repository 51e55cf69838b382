/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <stdlib.h>

#include "code/code.h"

/* Any file: both ways to read it, and what a listing promises. */
static void check_listing(const struct code_listing *listing)
{
    for (size_t i = 0; i < listing->count; i++) {
        const struct code_entry *entry = &listing->entries[i];
        char name[CODE_NAME_SIZE];
        code_architecture_name(entry, name);
        if (entry->count == 0 || (i > 0 && code_entry_compare(entry - 1, entry) >= 0))
            abort();
    }
    if (listing->file == CODE_FILE_OTHER && listing->count > 0)
        abort();
}

static void read_once(const uint8_t *data, size_t size,
                      bool (*read)(const struct byte_source *, struct code_listing *,
                                   struct error *))
{
    AUTO_CODE_LISTING struct code_listing listing = {0};
    AUTO_ERROR struct error error = {0};
    struct byte_source source = byte_source_memory(data, size);
    if (read(&source, &listing, &error)) {
        check_listing(&listing);
        return;
    }
    /* A refusal gives a reason, and nothing of the file. */
    if (error.kind != ERROR_DATA || listing.count != 0 || listing.toolkit != NULL)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_once(data, size, code_read);
    read_once(data, size, code_read_whole);
    return 0;
}
