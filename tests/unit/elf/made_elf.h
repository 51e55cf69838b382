/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_ELF_MADE_ELF_H
#define TESTS_UNIT_ELF_MADE_ELF_H

/* A small ELF file of 64 bits made by hand, in either byte order. */
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MADE_SIZE    1024
#define MADE_LOADED  0x10000 /* where its bytes are loaded */
#define MADE_DYNAMIC 256
#define MADE_STRINGS 512
#define MADE_NEEDS   640
static const char made_strings[] = "\0libmade.so.1\0libc.so.6\0/opt/lib\0GLIBC_2.9\0GLIBC_2.17\0";
enum { MADE_SONAME = 1, MADE_LIBC = 14, MADE_RUNPATH = 24, MADE_V9 = 33, MADE_V17 = 43 };

struct made {
    bool big;
    unsigned char bytes[MADE_SIZE];
};

static inline void put(struct made *made, size_t at, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++) {
        unsigned shift = 8 * (made->big ? width - 1 - i : i);
        made->bytes[at + i] = (unsigned char)(value >> shift);
    }
}

#define PUT_FIELD(made, at, type, field, value)                                                    \
    put((made), (at) + offsetof(type, field), sizeof(((type *)NULL)->field), (value))

static inline void put_segment(struct made *made, unsigned index, uint32_t type, uint64_t offset,
                               uint64_t size)
{
    size_t at = sizeof(Elf64_Ehdr) + index * sizeof(Elf64_Phdr);
    PUT_FIELD(made, at, Elf64_Phdr, p_type, type);
    PUT_FIELD(made, at, Elf64_Phdr, p_offset, offset);
    PUT_FIELD(made, at, Elf64_Phdr, p_vaddr, MADE_LOADED + offset);
    PUT_FIELD(made, at, Elf64_Phdr, p_filesz, size);
}

static inline void put_dynamic(struct made *made, unsigned index, uint64_t tag, uint64_t value)
{
    size_t at = MADE_DYNAMIC + index * sizeof(Elf64_Dyn);
    put(made, at, 8, tag);
    put(made, at + 8, 8, value);
}

/* One version need of two names, the lower one last. */
static inline void put_needs(struct made *made)
{
    const size_t aux = MADE_NEEDS + sizeof(Elf64_Verneed);
    PUT_FIELD(made, MADE_NEEDS, Elf64_Verneed, vn_version, 1);
    PUT_FIELD(made, MADE_NEEDS, Elf64_Verneed, vn_cnt, 2);
    PUT_FIELD(made, MADE_NEEDS, Elf64_Verneed, vn_file, MADE_LIBC);
    PUT_FIELD(made, MADE_NEEDS, Elf64_Verneed, vn_aux, sizeof(Elf64_Verneed));
    PUT_FIELD(made, aux, Elf64_Vernaux, vna_name, MADE_V17);
    PUT_FIELD(made, aux, Elf64_Vernaux, vna_next, sizeof(Elf64_Vernaux));
    PUT_FIELD(made, aux + sizeof(Elf64_Vernaux), Elf64_Vernaux, vna_name, MADE_V9);
}

static inline void make_elf(struct made *made, bool big)
{
    *made = (struct made){.big = big};
    memcpy(made->bytes, ELFMAG, SELFMAG);
    made->bytes[EI_CLASS] = ELFCLASS64;
    made->bytes[EI_DATA] = big ? ELFDATA2MSB : ELFDATA2LSB;
    made->bytes[EI_VERSION] = EV_CURRENT;
    PUT_FIELD(made, 0, Elf64_Ehdr, e_type, ET_DYN);
    PUT_FIELD(made, 0, Elf64_Ehdr, e_machine, EM_S390);
    PUT_FIELD(made, 0, Elf64_Ehdr, e_version, EV_CURRENT);
    PUT_FIELD(made, 0, Elf64_Ehdr, e_phoff, sizeof(Elf64_Ehdr));
    PUT_FIELD(made, 0, Elf64_Ehdr, e_ehsize, sizeof(Elf64_Ehdr));
    PUT_FIELD(made, 0, Elf64_Ehdr, e_phentsize, sizeof(Elf64_Phdr));
    PUT_FIELD(made, 0, Elf64_Ehdr, e_phnum, 2);
    put_segment(made, 0, PT_LOAD, 0, MADE_SIZE);
    put_segment(made, 1, PT_DYNAMIC, MADE_DYNAMIC, 8 * sizeof(Elf64_Dyn));
    put_dynamic(made, 0, DT_STRTAB, MADE_LOADED + MADE_STRINGS);
    put_dynamic(made, 1, DT_STRSZ, sizeof(made_strings));
    put_dynamic(made, 2, DT_SONAME, MADE_SONAME);
    put_dynamic(made, 3, DT_NEEDED, MADE_LIBC);
    put_dynamic(made, 4, DT_RUNPATH, MADE_RUNPATH);
    put_dynamic(made, 5, DT_VERNEED, MADE_LOADED + MADE_NEEDS);
    put_dynamic(made, 6, DT_VERNEEDNUM, 1);
    memcpy(made->bytes + MADE_STRINGS, made_strings, sizeof(made_strings));
    put_needs(made);
}

#endif
