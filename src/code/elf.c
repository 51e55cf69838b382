/* SPDX-License-Identifier: MIT */
#include "code/elf.h"

#include <string.h>

#include "base/little_endian.h"

#define ELF "ELF file"

/* Sizes and offsets that differ between the two classes. */
struct shape {
    size_t header, section, segment;
    size_t segments_at, sections_at, flags_at, counts_at; /* in the header */
};
static const struct shape narrow = {.header = 52,
                                    .section = 40,
                                    .segment = 32,
                                    .segments_at = 28,
                                    .sections_at = 32,
                                    .flags_at = 36,
                                    .counts_at = 42};
static const struct shape wide = {.header = 64,
                                  .section = 64,
                                  .segment = 56,
                                  .segments_at = 32,
                                  .sections_at = 40,
                                  .flags_at = 48,
                                  .counts_at = 54};

/* Tables are read so many bytes at a time. */
#define TABLE_AHEAD 4096u

static const struct shape *shape_of(const struct elf_file *file)
{
    return file->wide ? &wide : &narrow;
}

static uint64_t load_address(const struct elf_file *file, const unsigned char *bytes)
{
    return file->wide ? load64(bytes) : load32(bytes);
}

static bool has_magic(const unsigned char *head, size_t size)
{
    static const unsigned char magic[] = {0x7f, 'E', 'L', 'F'};
    return size >= sizeof(magic) && memcmp(head, magic, sizeof(magic)) == 0;
}

bool elf_is(const unsigned char *head, size_t size)
{
    return size >= ELF_IDENT && has_magic(head, size);
}

static bool check_ident(const struct byte_source *source, const unsigned char *head,
                        struct error *error)
{
    bool sound = (head[4] == 1 || head[4] == 2) && (head[5] == 1 || head[5] == 2);
    return sound || byte_source_malformed(error, ELF, source, 4, "class %u, byte order %u", head[4],
                                          head[5]);
}

bool elf_check_begin(struct reading *reading, const struct byte_source *source,
                     const unsigned char *head, size_t size, struct error *error)
{
    if (!has_magic(head, size))
        return true;
    head = byte_window_at(reading->window, source, 0, ELF_IDENT + 4, TABLE_AHEAD, "the ELF header",
                          error);
    return head && check_ident(source, head, error);
}

/* A table of count elements has to lie behind the header and within the source. */
static bool check_table(const struct elf_file *file, uint64_t offset, uint32_t count,
                        size_t element, const char *what, struct error *error)
{
    if (count == 0)
        return true;
    uint64_t size = file->source->size;
    if (offset > size || count > (size - offset) / element)
        return byte_source_malformed(error, ELF, file->source, offset,
                                     "%u %s of %zu bytes do not fit", count, what, element);
    return true;
}

/* A count that is too large for the header stands in the first section (extended numbering). */
static bool read_extended(struct reading *reading, struct elf_file *file, uint32_t segment_count,
                          uint32_t section_count, uint32_t names, struct error *error)
{
    file->section_count = section_count;
    file->segment_count = segment_count;
    file->names = names;
    if (file->sections == 0) {
        file->section_count = 0;
        return true;
    }
    if (section_count != 0 && segment_count != 0xffff && names != 0xffff)
        return true;
    const struct shape *shape = shape_of(file);
    const unsigned char *bytes =
        byte_window_at(reading->window, file->source, file->sections, shape->section, TABLE_AHEAD,
                       "the first section", error);
    if (bytes == NULL)
        return false;
    uint64_t size = load_address(file, bytes + (file->wide ? 32 : 20));
    if (section_count == 0) {
        if (size > CODE_SECTIONS_MAX)
            return byte_source_malformed(error, ELF, file->source, file->sections,
                                         "%llu sections, more than %u", (unsigned long long)size,
                                         CODE_SECTIONS_MAX);
        file->section_count = (uint32_t)size;
    }
    if (names == 0xffff)
        file->names = load32(bytes + (file->wide ? 40 : 24));
    if (segment_count == 0xffff)
        file->segment_count = load32(bytes + (file->wide ? 44 : 28));
    return true;
}

static bool check_sizes(const struct elf_file *file, const unsigned char *counts,
                        struct error *error)
{
    const struct shape *shape = shape_of(file);
    unsigned header = load16(counts - 2), segment = load16(counts), section = load16(counts + 4);
    /* A class that was changed would otherwise hide the section headers. */
    if (header != 0 && header != shape->header)
        return byte_source_malformed(error, ELF, file->source, 0,
                                     "a header of %u bytes, not of %zu", header, shape->header);
    if (load16(counts + 2) != 0 && segment != shape->segment)
        return byte_source_malformed(error, ELF, file->source, 0, "program headers of %u bytes",
                                     segment);
    if (file->sections != 0 && section != shape->section)
        return byte_source_malformed(error, ELF, file->source, 0, "section headers of %u bytes",
                                     section);
    return true;
}

bool elf_open(struct reading *reading, const struct byte_source *source, struct elf_file *ret_file,
              bool *ret_known, struct error *error)
{
    const unsigned char *head =
        byte_window_at(reading->window, source, 0, ELF_IDENT, TABLE_AHEAD, "the ELF header", error);
    if (head == NULL || !check_ident(source, head, error))
        return false;
    *ret_known = head[5] == 1;
    if (!*ret_known)
        return true;
    struct elf_file file = {.source = source, .wide = head[4] == 2};
    const struct shape *shape = shape_of(&file);
    head = byte_window_at(reading->window, source, 0, shape->header, TABLE_AHEAD, "the ELF header",
                          error);
    if (head == NULL)
        return false;
    file.abi_version = head[8];
    file.type = load16(head + 16);
    file.machine = load16(head + 18);
    file.version = load32(head + 20);
    file.segments = load_address(&file, head + shape->segments_at);
    file.sections = load_address(&file, head + shape->sections_at);
    file.flags = load32(head + shape->flags_at);
    const unsigned char *counts = head + shape->counts_at;
    unsigned segment_count = load16(counts + 2);
    unsigned section_count = load16(counts + 6);
    unsigned names = load16(counts + 8);
    if (!check_sizes(&file, counts, error) ||
        !read_extended(reading, &file, segment_count, section_count, names, error))
        return false;
    if (!check_table(&file, file.segments, file.segment_count, shape->segment, "program headers",
                     error) ||
        !check_table(&file, file.sections, file.section_count, shape->section, "section headers",
                     error))
        return false;
    *ret_file = file;
    return true;
}

bool elf_section(struct reading *reading, const struct elf_file *file, uint32_t index,
                 struct elf_section *ret_section, struct error *error)
{
    size_t size = shape_of(file)->section;
    const unsigned char *bytes =
        byte_window_at(reading->window, file->source, file->sections + (uint64_t)index * size, size,
                       TABLE_AHEAD, "a section header", error);
    if (bytes == NULL)
        return false;
    size_t address = file->wide ? 8 : 4;
    *ret_section = (struct elf_section){
        .name = load32(bytes),
        .type = load32(bytes + 4),
        .flags = load_address(file, bytes + 8),
        .offset = load_address(file, bytes + 8 + 2 * address),
        .size = load_address(file, bytes + 8 + 3 * address),
    };
    return true;
}

bool elf_segment(struct reading *reading, const struct elf_file *file, uint32_t index,
                 struct elf_segment *ret_segment, struct error *error)
{
    size_t size = shape_of(file)->segment;
    const unsigned char *bytes =
        byte_window_at(reading->window, file->source, file->segments + (uint64_t)index * size, size,
                       TABLE_AHEAD, "a program header", error);
    if (bytes == NULL)
        return false;
    *ret_segment = (struct elf_segment){
        .type = load32(bytes),
        .offset = load_address(file, bytes + (file->wide ? 8 : 4)),
        .size = load_address(file, bytes + (file->wide ? 32 : 16)),
    };
    return true;
}
