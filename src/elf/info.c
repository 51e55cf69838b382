/* SPDX-License-Identifier: MIT */
#include "elf/info.h"

#include <stdio.h>

#include "base/hex.h"
#include "base/text.h"
#include "elf/info_private.h"
#include "elf/layout.h"
#include "elf/note.h"

/* A file has one to three note segments, of a few notes of a hundred bytes each. */
#define NOTES_SIZE   BYTE_WINDOW_SIZE
#define NOTES_MAX    16u
#define BUILD_ID_MAX 64u

static char *find_build_id(const struct elf_notes *notes)
{
    struct elf_note note;
    for (size_t at = 0; elf_note_next(notes, &at, &note);) {
        if (note.type == NT_GNU_BUILD_ID && elf_note_is_of(&note, ELF_NOTE_GNU) && note.size > 0 &&
            note.size <= BUILD_ID_MAX)
            return hex_string(note.description, note.size);
    }
    return NULL;
}

/* Mostly they stand right behind the program headers, and are at hand. */
static bool read_notes(struct elf_reading *reading, const struct elf_segment *segment,
                       struct error *error)
{
    const struct elf_file *file = &reading->file;
    size_t size = segment->size < NOTES_SIZE ? (size_t)segment->size : NOTES_SIZE;
    bool at_hand = byte_window_left(file->window, file->source, segment->offset) >= size;
    const unsigned char *bytes = byte_window_at(at_hand ? file->window : reading->far, file->source,
                                                segment->offset, size, size, "the notes", error);
    if (bytes == NULL)
        return false;
    reading->info->build_id = find_build_id(&(struct elf_notes){
        .bytes = bytes,
        .size = size,
        .is_big = file->header.start.is_big,
        .is_wide = segment->align == 8,
    });
    return true;
}

/* The size of a segment that is used has to be there. */
static bool check_segment(const struct elf_file *file, uint32_t index,
                          const struct elf_segment *segment, struct error *error)
{
    bool used = segment->type == PT_LOAD || segment->type == PT_DYNAMIC || segment->type == PT_NOTE;
    if (!used || segment->size == 0)
        return true;
    char what[40];
    snprintf(what, sizeof(what), "segment %u", index);
    return elf_check_range(file, what, segment->offset, segment->size, error);
}

/* Looks at all segments once: notes are read, and the first dynamic section that is not empty (as
 * it is in separate debug information) is kept. */
static bool look_at_segments(struct elf_reading *reading, struct error *error)
{
    unsigned notes = 0;
    for (uint32_t i = 0; i < reading->file.segment_count; i++) {
        struct elf_segment segment;
        if (!elf_segment(&reading->file, i, &segment, error) ||
            !check_segment(&reading->file, i, &segment, error))
            return false;
        if (segment.type == PT_DYNAMIC && reading->dynamic.size == 0)
            reading->dynamic = segment;
        bool wanted = segment.type == PT_NOTE && segment.size > 0 &&
                      reading->info->build_id == NULL && notes < NOTES_MAX;
        if (!wanted)
            continue;
        notes++;
        if (!read_notes(reading, &segment, error))
            return false;
    }
    return true;
}

/* Sections are counted in the first of them only where there are too many for the header: where it
 * says otherwise, the header was damaged. */
static bool check_extended(const struct elf_reading *reading, struct error *error)
{
    struct elf_file file = reading->file;
    if (file.header.section_count != 0 || file.header.sections_at == 0)
        return true;
    const struct elf_layout *layout = elf_layout_of(file.header.start.bits);
    const unsigned char *bytes =
        byte_window_at(reading->far, file.source, file.header.sections_at, layout->section, 0,
                       "the first of many sections", error);
    if (bytes == NULL)
        return false;
    uint64_t count = elf_number(file.header.start.is_big, bytes, layout->sh_size);
    return count >= SHN_LORESERVE ||
           byte_source_malformed(
               error, ELF_CONTAINER, file.source, file.header.sections_at,
               "more than %u sections according to the header, %llu according to the first section",
               SHN_LORESERVE - 1, (unsigned long long)count);
}

static bool read_all(struct elf_reading *reading, struct error *error)
{
    const struct elf_start *start = &reading->file.header.start;
    *reading->info = (struct elf_info){
        .bits = start->bits, .machine = (uint16_t)start->machine, .type = (uint16_t)start->type};
    return elf_check_current(&reading->file, error) && check_extended(reading, error) &&
           look_at_segments(reading, error) && elf_read_dynamic(reading, error);
}

bool elf_info_read(const struct byte_source *source, struct elf_info *ret_info, struct error *error)
{
    AUTO_FREE struct byte_window *tables = byte_window_new();
    AUTO_FREE struct byte_window *far = byte_window_new();
    AUTO_ELF struct elf_info info = {.bits = 0};
    struct elf_reading reading = {.far = far, .info = &info};
    if (!elf_open(source, tables, &reading.file, error) || !read_all(&reading, error))
        return false;
    *ret_info = info;
    info = (struct elf_info){.bits = 0};
    return true;
}

void elf_info_free(struct elf_info *info)
{
    if (info == NULL)
        return;
    free(info->soname);
    strlist_free(&info->needed);
    free(info->rpath);
    free(info->runpath);
    free(info->build_id);
    free(info->glibc_needed);
    free(info->glibc_defined);
    *info = (struct elf_info){0};
}
