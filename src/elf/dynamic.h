/* SPDX-License-Identifier: MIT */
#ifndef ELF_DYNAMIC_H
#define ELF_DYNAMIC_H

#include "elf/file.h"

/* The dynamic section, by its segment: it is there where section headers were stripped. */
struct elf_entry {
    uint64_t tag, value; /* DT_… of elf.h */
};

/* How many entries the segment has room for; DT_NULL ends them before. */
uint64_t elf_entry_count(const struct elf_file *file, const struct elf_segment *dynamic);

/* Entry number index, which is below the count. */
bool elf_entry(const struct elf_file *file, const struct elf_segment *dynamic, uint64_t index,
               struct elf_entry *ret_entry, struct error *error);

#endif
