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
    AUTO_FREE struct byte_window *window = mem_alloc(sizeof(*window));
    struct byte_source source = byte_source_memory(data, size);
    struct reading reading = {.listing = &listing, .cubins_left = 8, .window = window};
    struct elf_file file;
    bool known = false;
    for (enum code_packing packing = CODE_PLAIN; packing <= CODE_PACKED; packing++)
        cubin_ask(&reading,
                  &(struct cubin_payload){
                      .source = &source, .size = size, .packing = packing, .unpacked = 4096});
    if (size < 16 || !elf_open(&reading, &source, &file, &known, &error) || !known)
        return 0;
    if (!cubin_list(&reading, &file, &error) && error.kind != ERROR_DATA)
        abort();
    if (listing.toolkit != NULL && strstr(listing.toolkit, "release ") == NULL)
        abort();
    return 0;
}
