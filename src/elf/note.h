/* SPDX-License-Identifier: MIT */
#ifndef ELF_NOTE_H
#define ELF_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The notes of one segment or section. */
struct elf_notes {
    const unsigned char *bytes;
    size_t size;
    bool is_big;
    bool is_wide; /* names and descriptions are padded to 8 bytes (p_align is 8), else to 4 */
};

struct elf_note {
    uint32_t type;
    const unsigned char *name, *description; /* not padded; within the bytes */
    uint32_t name_size, size;
};

/* The note at *at, which is moved behind it; begin with 0. False at the end, or where what is there
 * is no whole note. */
bool elf_note_next(const struct elf_notes *notes, size_t *at, struct elf_note *ret_note);

/* Whether its owner is name: with the NUL that belongs to it. */
bool elf_note_is_of(const struct elf_note *note, const char *name);

#endif
