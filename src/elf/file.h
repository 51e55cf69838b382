/* SPDX-License-Identifier: MIT */
#ifndef ELF_FILE_H
#define ELF_FILE_H

#include "base/byte_window.h"
#include "base/text.h"
#include "elf/header.h"

/* The tables of an ELF file: program headers ("segments") and section headers, each looked up by
 * its number and none kept. What is opened is untrusted: a table lies within the source, or the
 * file is refused with "not a valid ELF file", "offset 0x…: " and the reason. */

/* More is refused: a linker makes one segment for each kind of page and note, and a section for
 * each function and datum at most. */
#define ELF_SEGMENTS_MAX 1000000u
#define ELF_SECTIONS_MAX 1000000u

struct elf_file {
    const struct byte_source *source;
    struct byte_window *window; /* through which it is read */
    struct elf_header header;
    uint32_t segment_count;
    uint32_t section_count, names; /* after elf_open_sections(); names: the section with them */
};

struct elf_segment {
    uint32_t type;
    uint64_t offset, size; /* in the file */
    uint64_t address, align;
};

struct elf_section {
    uint32_t name, type;
    uint64_t flags, offset, size;
};

/* Reads the header and finds the program headers; also of more than 65534 (PN_XNUM). source and
 * window stay the caller's and have to outlive the file. */
bool elf_open(const struct byte_source *source, struct byte_window *window,
              struct elf_file *ret_file, struct error *error);

/* Whether class and byte order are ones there are, and the header is whole. */
bool elf_check_start(const struct byte_source *source, struct byte_window *window,
                     struct error *error);

/* False unless e_version is the current one: cubins have others there. */
bool elf_check_current(const struct elf_file *file, struct error *error);

/* False when size bytes at offset, which are called what, leave the file. */
bool elf_check_range(const struct elf_file *file, const char *what, uint64_t offset, uint64_t size,
                     struct error *error);

/* Finds the section headers, also of 65280 and more (SHN_LORESERVE). Without it there are none. */
bool elf_open_sections(struct elf_file *file, struct error *error);

/* Number index, which is below segment_count or section_count. Where they lead to is not checked.
 */
bool elf_segment(const struct elf_file *file, uint32_t index, struct elf_segment *ret_segment,
                 struct error *error);
bool elf_section(const struct elf_file *file, uint32_t index, struct elf_section *ret_section,
                 struct error *error);

/* The names of the sections, as one run of bytes that ends with a NUL; at most max. */
bool elf_section_names(const struct elf_file *file, size_t max, struct text *names,
                       struct error *error);

/* The first section of that name, by these names. */
bool elf_section_find(const struct elf_file *file, const struct text *names, const char *name,
                      bool *ret_found, struct elf_section *ret_section, struct error *error);

#endif
