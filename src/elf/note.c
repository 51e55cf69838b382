/* SPDX-License-Identifier: MIT */
#include "elf/note.h"

#include <string.h>

#include "elf/layout.h"

static const struct elf_field name_field = ELF_FIELD(Elf64_Nhdr, n_namesz);
static const struct elf_field size_field = ELF_FIELD(Elf64_Nhdr, n_descsz);
static const struct elf_field type_field = ELF_FIELD(Elf64_Nhdr, n_type);

/* Where what follows size bytes at at begins; may be behind the end. */
static uint64_t padded(const struct elf_notes *notes, uint64_t at, uint32_t size)
{
    uint64_t last = notes->is_wide ? 7 : 3;
    return (at + size + last) & ~last;
}

bool elf_note_next(const struct elf_notes *notes, size_t *at, struct elf_note *ret_note)
{
    if (*at > notes->size || notes->size - *at < sizeof(Elf64_Nhdr))
        return false;
    const unsigned char *header = notes->bytes + *at;
    uint32_t name_size = elf_number32(notes->is_big, header, name_field);
    uint32_t size = elf_number32(notes->is_big, header, size_field);
    uint64_t name_at = *at + sizeof(Elf64_Nhdr);
    uint64_t description_at = padded(notes, name_at, name_size);
    if (description_at > notes->size || size > notes->size - description_at)
        return false;
    *ret_note = (struct elf_note){.type = elf_number32(notes->is_big, header, type_field),
                                  .name = notes->bytes + name_at,
                                  .description = notes->bytes + description_at,
                                  .name_size = name_size,
                                  .size = size};
    uint64_t next = padded(notes, description_at, size);
    *at = next < notes->size ? (size_t)next : notes->size;
    return true;
}

bool elf_note_is_of(const struct elf_note *note, const char *name)
{
    size_t size = strlen(name) + 1;
    return note->name_size == size && memcmp(note->name, name, size) == 0;
}
