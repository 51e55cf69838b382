/* SPDX-License-Identifier: MIT */
#ifndef HOST_ELF_ELF_H
#define HOST_ELF_ELF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strlist.h"
#include "host/root/file.h"

struct error;

/* What an ELF file's headers say. Only headers, the dynamic section, its strings, version tables
 * and notes are read, whatever the file's size. */
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

/* Reads path. HOST_FAILED with ERROR_DATA and libelf's words, or the offset, when it is not a
 * valid ELF file. ret_info is set only on HOST_OK; free it with elf_info_free(). */
enum host_status elf_read(const struct host *host, const char *path, struct elf_info *ret_info,
                          struct error *error);
void elf_info_free(struct elf_info *info);

/* Reads the .modinfo section of a kernel module: adds its "key=value" strings. A compressed module
 * (.xz, .zst, .gz) is HOST_FAILED with a reason that says so. */
enum host_status elf_read_modinfo(const struct host *host, const char *path,
                                  struct strlist *ret_fields, struct error *error);

/* "x86_64", "aarch64", "i386" …, or "machine N". Points to a constant or into buffer. */
const char *elf_machine_name(uint16_t machine, unsigned bits, char buffer[static 24]);

#endif
