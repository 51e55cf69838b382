/* SPDX-License-Identifier: MIT */
#ifndef ELF_INFO_H
#define ELF_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/byte_source.h"
#include "base/strlist.h"

/* What the headers of a library or program say to the loader. Only headers, the dynamic section,
 * its strings, version tables and notes are read, whatever the file's size; sections are not looked
 * at, as they may have been stripped. */
struct elf_info {
    unsigned bits;         /* 32 or 64 */
    uint16_t machine;      /* EM_… of elf.h */
    uint16_t type;         /* ET_… */
    char *soname;          /* NULL when it has none */
    struct strlist needed; /* DT_NEEDED, in order */
    char *rpath;           /* DT_RPATH; NULL when none. Ignored by the loader beside a RUNPATH */
    char *runpath;         /* DT_RUNPATH; NULL when none */
    char *build_id;        /* hex; NULL when none */
    char *glibc_needed;    /* highest GLIBC_2.x of the version needs: "2.34"; NULL when none */
    char *glibc_defined;   /* highest GLIBC_2.x it defines (libc.so.6 itself); NULL when none */
};

#define AUTO_ELF AUTO(elf_info_free)

/* Reads source, of either byte order. False with ERROR_DATA, "not an ELF file" or "not a valid ELF
 * file", and the reason with the offset; or with the error of the source. ret_info is set only on
 * success; free it with elf_info_free(). */
bool elf_info_read(const struct byte_source *source, struct elf_info *ret_info,
                   struct error *error);
void elf_info_free(struct elf_info *info);

#endif
