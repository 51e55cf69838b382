/* SPDX-License-Identifier: MIT */
#ifndef CODE_ELF_H
#define CODE_ELF_H

/* Private to code/: ELF headers through a byte_source, of 32 and 64 bits, little-endian (System V
 * ABI, chapters 4 and 5). host/elf/elf.h, with libelf behind it, needs a file; here a member of an
 * archive has to do, and 100,000 sections. */
#include "code/reading.h"

struct error;

enum { ELF_REL = 1, ELF_EXEC = 2, ELF_DYN = 3 };                    /* e_type */
enum { ELF_MACHINE_CUDA = 190 };                                    /* e_machine, EM_CUDA */
enum { ELF_PROGBITS = 1, ELF_NOTE = 7, ELF_NOBITS = 8 };            /* sh_type */
enum { ELF_ALLOC = 2, ELF_EXECUTABLE = 4, ELF_COMPRESSED = 0x800 }; /* sh_flags */
enum { ELF_LOAD = 1, ELF_DYNAMIC = 2, ELF_INTERP = 3 };             /* p_type */

struct elf_file {
    const struct byte_source *source;
    bool wide; /* 64 bits */
    unsigned type, machine, abi_version;
    uint32_t version, flags;
    uint64_t segments, sections;                  /* offsets of the tables */
    uint32_t segment_count, section_count, names; /* names: index of the section with them */
};

struct elf_section {
    uint32_t name, type;
    uint64_t flags, offset, size;
};

struct elf_segment {
    uint32_t type;
    uint64_t offset, size; /* in the file */
};

#define ELF_IDENT 16u /* bytes that say which ELF it is */

bool elf_is(const unsigned char *head, size_t size); /* ELF_IDENT bytes are enough */

/* Of a source that begins with head and is of no kind that holds code: false where it begins as ELF
 * does, and is cut off before it says of which kind it is, or is of no class there is. */
bool elf_check_begin(struct reading *reading, const struct byte_source *source,
                     const unsigned char *head, size_t size, struct error *error);

/* The header. *ret_known false, and nothing else set, for big-endian ELF, which no GPU code is in.
 * The tables are checked to lie within the source. */
bool elf_open(struct reading *reading, const struct byte_source *source, struct elf_file *ret_file,
              bool *ret_known, struct error *error);

/* Number index, which is below section_count or segment_count. */
bool elf_section(struct reading *reading, const struct elf_file *file, uint32_t index,
                 struct elf_section *ret_section, struct error *error);
bool elf_segment(struct reading *reading, const struct elf_file *file, uint32_t index,
                 struct elf_segment *ret_segment, struct error *error);

/* Lists the GPU code of a host object: shared object, executable or relocatable object. *ret_file
 * says which it is. */
bool elf_host_list(struct reading *reading, const struct elf_file *file, enum code_file *ret_file,
                   struct error *error);

#endif
