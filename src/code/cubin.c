/* SPDX-License-Identifier: MIT */
#include "code/cubin.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "base/little_endian.h"
#include "base/text.h"
#include "code/lz4.h"
#include "elf/note.h"
#include "host/packed/unpack_head.h"

/* e_flags. Up to ABI version 7 the architecture is in the lowest byte, and a bit says sm_NNa; from
 * 8 on it is in the next byte. CUDA 12 sets a bit for sm_NNa there too, CUDA 13 does not: the
 * arguments of the assembler say it. */
#define ABI_NEW   8u
#define OLD_A     0x800u
#define NEW_A     0x8u
#define NEW_SHIFT 8

/* Notes: owner "NVIDIA Corp"; which toolkit made the cubin, and how. */
#define NOTE_OWNER     "NVIDIA Corp"
#define NOTE_TOOLKIT   2000u
#define NOTES_MAX      16384u
#define SECTIONS_ASKED 64u /* the notes are among the first */
#define NOTES_ASKED    4u  /* sections */

#define CUBIN_UNPACKED  (1u << 20) /* a cubin that is unpacked has no more bytes */
#define CUBIN_BEGINNING 512u       /* of a larger one, in which the ELF header is */

/* The parts of a toolkit note: five numbers after the version say where in the strings behind them
 * each string begins. */
enum { TOOLKIT_VERSION_AT = 12, TOOLKIT_ARGUMENTS_AT = 20, TOOLKIT_STRINGS = 24 };

struct notes {
    char bytes[NOTES_MAX + 1]; /* ends with a NUL */
    size_t size;
};

/* The string of a note that the number at `at` tells the beginning of. NULL: there is none. */
static const char *note_string(const unsigned char *description, size_t size, size_t at)
{
    if (size <= TOOLKIT_STRINGS)
        return NULL;
    uint32_t begin = load32(description + at);
    size_t length = size - TOOLKIT_STRINGS;
    const char *strings = (const char *)description + TOOLKIT_STRINGS;
    return begin < length && memchr(strings + begin, '\0', length - begin) ? strings + begin : NULL;
}

/* The suffix in "-arch sm_90a", when it is about this architecture. */
static char suffix_in(const char *arguments, unsigned architecture)
{
    char wanted[32];
    snprintf(wanted, sizeof(wanted), "-arch sm_%u", architecture);
    const char *found = arguments == NULL ? NULL : strstr(arguments, wanted);
    char next = found == NULL ? '\0' : found[strlen(wanted)];
    return next == 'a' || next == 'f' ? next : '\0';
}

struct toolkit {
    const char *version;
    const char *arguments;
};

/* The first toolkit note among the notes; false: there is none. */
static bool find_toolkit(const struct notes *notes, struct toolkit *ret_toolkit)
{
    const struct elf_notes all = {.bytes = (const unsigned char *)notes->bytes,
                                  .size = notes->size};
    struct elf_note note;
    for (size_t at = 0; elf_note_next(&all, &at, &note);) {
        if (note.type != NOTE_TOOLKIT || note.name_size < strlen(NOTE_OWNER) ||
            memcmp(note.name, NOTE_OWNER, strlen(NOTE_OWNER)) != 0)
            continue;
        ret_toolkit->version = note_string(note.description, note.size, TOOLKIT_VERSION_AT);
        ret_toolkit->arguments = note_string(note.description, note.size, TOOLKIT_ARGUMENTS_AT);
        return ret_toolkit->version != NULL;
    }
    return false;
}

/* Looks through the notes of a cubin. */
static bool read_notes(const struct elf_file *file, struct notes *notes,
                       struct toolkit *ret_toolkit, bool *ret_found, struct error *error)
{
    uint32_t count = file->section_count < SECTIONS_ASKED ? file->section_count : SECTIONS_ASKED;
    unsigned asked = 0;
    *ret_found = false;
    for (uint32_t i = 0; i < count && !*ret_found && asked < NOTES_ASKED; i++) {
        struct elf_section section;
        if (!elf_section(file, i, &section, error))
            return false;
        if (section.type != SHT_NOTE)
            continue;
        asked++;
        notes->size = section.size < NOTES_MAX ? (size_t)section.size : NOTES_MAX;
        if (!byte_source_read(file->source, section.offset, notes->bytes, notes->size, "a note",
                              error))
            return false;
        notes->bytes[notes->size] = '\0';
        *ret_found = find_toolkit(notes, ret_toolkit);
    }
    return true;
}

/* CUDA 12 and older write their version there: 129 for 12.9. */
static void set_old_toolkit(struct code_listing *listing, const struct elf_start *start)
{
    if (listing->cuda_major != 0 || start->abi_version >= ABI_NEW || start->version < 30 ||
        start->version > 999)
        return;
    listing->cuda_major = start->version / 10;
    listing->cuda_minor = start->version % 10;
}

/* What the notes say, or the header. */
static bool read_toolkit(struct reading *reading, const struct elf_file *file,
                         struct code_entry *entry, struct error *error)
{
    AUTO_FREE struct notes *notes = mem_alloc(sizeof(*notes));
    struct toolkit toolkit;
    bool found;
    if (!read_notes(file, notes, &toolkit, &found, error))
        return false;
    if (found && entry != NULL && entry->suffix == '\0')
        entry->suffix = suffix_in(toolkit.arguments, entry->architecture);
    if (found)
        listing_set_toolkit(reading->listing, toolkit.version, strlen(toolkit.version));
    set_old_toolkit(reading->listing, &file->header.start);
    return true;
}

bool cubin_list(struct reading *reading, const struct elf_file *file, struct error *error)
{
    const struct elf_start *start = &file->header.start;
    uint32_t flags = file->header.flags;
    bool is_new = start->abi_version >= ABI_NEW;
    struct code_entry entry = {
        .kind = CODE_SASS,
        .architecture = (is_new ? flags >> NEW_SHIFT : flags) & 0xff,
        .suffix = flags & (is_new ? NEW_A : OLD_A) ? 'a' : '\0',
        .relocatable = start->type == ET_REL,
        .count = 1,
        .bytes = file->source->size,
    };
    return read_toolkit(reading, file, &entry, error) &&
           listing_add(reading->listing, &entry, error);
}

static void ask_image(struct reading *reading, const struct byte_source *image)
{
    struct elf_file file;
    reading->window->source = NULL; /* what it held may have been at the same address */
    if (elf_open(image, reading->window, &file, NULL) && !file.header.start.is_big &&
        file.header.start.machine == EM_CUDA && elf_open_sections(&file, NULL))
        read_toolkit(reading, &file, NULL, NULL);
    reading->window->source = NULL;
}

/* The first bytes of a cubin, of which no more is at hand. */
static void ask_head(struct reading *reading, const unsigned char *head, size_t size)
{
    struct elf_start start;
    if (elf_start_read(head, size, &start) && !start.is_big && start.machine == EM_CUDA)
        set_old_toolkit(reading->listing, &start);
}

static void ask_packed(struct reading *reading, const struct cubin_payload *payload)
{
    bool is_whole = payload->size <= CUBIN_PACKED && payload->unpacked <= CUBIN_UNPACKED;
    if (!is_whole && payload->packing != CODE_LZ4)
        return;
    bool is_short = is_whole || payload->size < CUBIN_BEGINNING;
    size_t size = is_short ? (size_t)payload->size : CUBIN_BEGINNING;
    size_t room = is_whole ? (size_t)payload->unpacked : ELF_START;
    AUTO_FREE unsigned char *packed = mem_alloc(size + 1);
    AUTO_FREE unsigned char *image = mem_alloc(room + 1);
    if (!byte_source_read(payload->source, payload->offset, packed, size, "a cubin", NULL))
        return;
    size_t written = payload->packing == CODE_LZ4 ? lz4_unpack(packed, size, image, room)
                                                  : unpack_zstd_head(packed, size, image, room);
    struct byte_source source = byte_source_memory(image, written);
    if (is_whole)
        ask_image(reading, &source);
    if (reading->listing->cuda_major == 0)
        ask_head(reading, image, written);
}

void cubin_ask(struct reading *reading, const struct cubin_payload *payload)
{
    if (reading->listing->cuda_major != 0 || reading->cubins_left == 0)
        return;
    bool is_large = payload->size > CUBIN_PACKED && payload->packing == CODE_ZSTD;
    if (is_large || payload->packing == CODE_PACKED)
        return;
    reading->cubins_left--;
    struct byte_source part = byte_source_part(payload->source, payload->offset, payload->size);
    if (payload->packing == CODE_PLAIN)
        ask_image(reading, &part);
    else
        ask_packed(reading, payload);
}
