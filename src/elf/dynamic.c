/* SPDX-License-Identifier: MIT */
#include "elf/dynamic.h"

#include "elf/layout.h"

#define ENTRIES_AHEAD 1024u

uint64_t elf_entry_count(const struct elf_file *file, const struct elf_segment *dynamic)
{
    return dynamic->size / elf_layout_of(file->header.start.bits)->entry;
}

bool elf_entry(const struct elf_file *file, const struct elf_segment *dynamic, uint64_t index,
               struct elf_entry *ret_entry, struct error *error)
{
    const struct elf_layout *layout = elf_layout_of(file->header.start.bits);
    const unsigned char *bytes =
        byte_window_at(file->window, file->source, dynamic->offset + index * layout->entry,
                       layout->entry, ENTRIES_AHEAD, "the dynamic section", error);
    if (bytes == NULL)
        return false;
    bool big = file->header.start.is_big;
    *ret_entry = (struct elf_entry){.tag = elf_number(big, bytes, layout->d_tag),
                                    .value = elf_number(big, bytes, layout->d_val)};
    return true;
}
