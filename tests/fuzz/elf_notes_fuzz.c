/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "code/cubin.h"

/* A cubin, whatever its first bytes are: its header, sections and notes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_CODE_LISTING struct code_listing listing = {0};
    AUTO_ERROR struct error error = {0};
    AUTO_FREE struct byte_window *window = byte_window_new();
    struct byte_source source = byte_source_memory(data, size);
    struct reading reading = {.listing = &listing, .cubins_left = 8, .window = window};
    struct elf_file file;
    for (enum code_packing packing = CODE_PLAIN; packing <= CODE_PACKED; packing++)
        cubin_ask(&reading,
                  &(struct cubin_payload){
                      .source = &source, .size = size, .packing = packing, .unpacked = 4096});
    if (!elf_open(&source, window, &file, &error) || file.header.start.is_big ||
        !elf_open_sections(&file, &error))
        return 0;
    if (!cubin_list(&reading, &file, &error) && error.kind != ERROR_DATA)
        abort();
    if (listing.toolkit != NULL && strstr(listing.toolkit, "release ") == NULL)
        abort();
    return 0;
}
