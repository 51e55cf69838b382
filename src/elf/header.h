/* SPDX-License-Identifier: MIT */
#ifndef ELF_HEADER_H
#define ELF_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The header of an ELF file, out of its first bytes (System V ABI, chapter 4): of 32 and 64 bits,
 * in both byte orders. Nothing is judged here. */

#define ELF_IDENT 16u /* bytes that say which ELF it is */
#define ELF_START 24u /* bytes that are laid out alike in both classes */
#define ELF_HEAD  64u /* bytes that hold the header of either class */

struct elf_start {
    unsigned bits;          /* 32 or 64; 0: a class that does not exist */
    unsigned order;         /* EI_DATA as it stands: ELFDATA2LSB, ELFDATA2MSB or nothing known */
    bool is_big;            /* most significant byte first */
    unsigned ident_version; /* EI_VERSION */
    unsigned abi, abi_version;
    unsigned type, machine; /* ET_…, EM_… of elf.h */
    uint32_t version;       /* e_version */
};

/* The counts and sizes stand here as in the file: elf_open() says what they mean. */
struct elf_header {
    struct elf_start start;
    uint64_t segments_at, sections_at; /* offsets of the program and section headers */
    uint32_t flags;
    unsigned header_size, segment_size, section_size;   /* of one */
    unsigned segment_count, section_count, names_index; /* names: the section that has them */
};

/* Whether these bytes begin as ELF does; ELF_IDENT of them are enough, fewer are none. */
bool elf_is(const void *head, size_t size);

/* False when it is no ELF, or size is below ELF_START. */
bool elf_start_read(const void *head, size_t size, struct elf_start *ret_start);

/* False when it is no ELF, of no class there is, or size is below that of its header. */
bool elf_header_read(const void *head, size_t size, struct elf_header *ret_header);

/* "begins with "…"": what stands there instead, made safe to print; "the file is empty". The caller
 * frees it. */
char *elf_begins_with(const void *head, size_t size);

/* "x86_64", "aarch64", "i386" …, or "machine N". Points to a constant or into buffer. */
const char *elf_machine_name(unsigned machine, unsigned bits, char buffer[static 24]);

#endif
