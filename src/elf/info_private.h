/* SPDX-License-Identifier: MIT */
#ifndef ELF_INFO_PRIVATE_H
#define ELF_INFO_PRIVATE_H

/* Private to elf/info*.c: one file that is being read, through two windows: one stays where the
 * tables are, the other goes to what they lead to. */
#include "elf/dynamic.h"
#include "elf/info.h"

struct elf_reading {
    struct elf_file file;
    struct byte_window *far;
    struct elf_info *info;
    struct elf_segment dynamic;     /* of size 0: none */
    uint64_t strings, strings_size; /* in the file */
};

/* The string at offset of the dynamic strings, shorter than max, which is called what; the caller
 * frees it. NULL and a filled error when it leaves the strings or is longer. */
#define ELF_NAME_SIZE  256u
#define ELF_PATHS_SIZE (64u * 1024)
char *elf_read_string(const struct elf_reading *reading, uint64_t offset, size_t max,
                      const char *what, struct error *error);

/* Fills info from the dynamic section: names, paths and versions. */
bool elf_read_dynamic(struct elf_reading *reading, struct error *error);

/* A version table: where it is in the file, and how many bytes its segment has from there on. */
struct elf_table {
    bool is_there;
    uint64_t address, offset, left;
};
bool elf_read_needs(const struct elf_reading *reading, const struct elf_table *table,
                    struct error *error);
bool elf_read_definitions(const struct elf_reading *reading, const struct elf_table *table,
                          struct error *error);

#endif
