/* SPDX-License-Identifier: MIT */
#ifndef ELF_LAYOUT_H
#define ELF_LAYOUT_H

/* Private to elf/: where the fields of each structure are, and numbers in either byte order. */
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/little_endian.h"

#define ELF_CONTAINER "ELF file" /* in messages */

struct elf_field {
    uint8_t at, width; /* bytes */
};

#define ELF_FIELD(type, name)                                                                      \
    {                                                                                              \
        offsetof(type, name), sizeof(((type *)NULL)->name)                                         \
    }

/* The structures that differ between the two classes. */
struct elf_layout {
    size_t header, segment, section, entry; /* bytes of one */
    struct elf_field e_phoff, e_shoff, e_flags, e_ehsize, e_phentsize, e_phnum, e_shentsize,
        e_shnum, e_shstrndx;
    struct elf_field p_type, p_offset, p_vaddr, p_filesz, p_align;
    struct elf_field sh_name, sh_type, sh_flags, sh_offset, sh_size, sh_link, sh_info;
    struct elf_field d_tag, d_val;
};

/* bits is 32 or 64. */
const struct elf_layout *elf_layout_of(unsigned bits);

static inline uint64_t elf_number(bool is_big, const unsigned char *bytes, struct elf_field field)
{
    const unsigned char *at = bytes + field.at;
    switch (field.width) {
    case sizeof(uint64_t):
        return is_big ? __builtin_bswap64(load64(at)) : load64(at);
    case sizeof(uint32_t):
        return is_big ? __builtin_bswap32(load32(at)) : load32(at);
    default: /* Elf64_Half */
        return is_big ? (uint64_t)at[0] << 8 | at[1] : load16(at);
    }
}

/* Of fields of no more than 32 bits. */
static inline uint32_t elf_number32(bool is_big, const unsigned char *bytes, struct elf_field field)
{
    return (uint32_t)elf_number(is_big, bytes, field);
}

#endif
