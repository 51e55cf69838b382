/* SPDX-License-Identifier: MIT */
#include "elf/file.h"

#include <string.h>

#include "elf/layout.h"

/* Tables are read so many bytes at a time; the first read has the program headers and mostly the
 * notes, too. */
#define TABLE_AHEAD 4096u

static const struct elf_layout *layout_of(const struct elf_file *file)
{
    return elf_layout_of(file->header.start.bits);
}

static bool not_elf(const unsigned char *head, size_t size, struct error *error)
{
    AUTO_FREE char *why = elf_begins_with(head, size);
    error_set(error, ERROR_DATA, "not an ELF file");
    return error_why(error, "%s", why);
}

static bool check_head(const struct byte_source *source, const unsigned char *head, size_t size,
                       struct error *error)
{
    if (size < SELFMAG || memcmp(head, ELFMAG, SELFMAG) != 0)
        return not_elf(head, size, error);
    if (size < ELF_IDENT)
        return byte_source_malformed(error, ELF_CONTAINER, source, 0,
                                     "truncated: the file has %zu bytes", size);
    unsigned class = head[EI_CLASS], order = head[EI_DATA];
    if ((class != ELFCLASS32 && class != ELFCLASS64) ||
        (order != ELFDATA2LSB && order != ELFDATA2MSB))
        return byte_source_malformed(error, ELF_CONTAINER, source, EI_CLASS,
                                     "class %u, byte order %u", class, order);
    size_t need = elf_layout_of(class == ELFCLASS64 ? 64 : 32)->header;
    return size >= need ||
           byte_source_malformed(error, ELF_CONTAINER, source, 0,
                                 "truncated: the header has %zu bytes, but the file has only %zu",
                                 need, size);
}

static bool read_header(const struct byte_source *source, struct byte_window *window,
                        struct elf_header *ret_header, struct error *error)
{
    size_t size = source->size < ELF_HEAD ? (size_t)source->size : ELF_HEAD;
    const unsigned char *head =
        byte_window_at(window, source, 0, size, TABLE_AHEAD, "the ELF header", error);
    return head != NULL && check_head(source, head, size, error) &&
           elf_header_read(head, size, ret_header);
}

bool elf_check_start(const struct byte_source *source, struct byte_window *window,
                     struct error *error)
{
    struct elf_header header;
    return read_header(source, window, &header, error);
}

bool elf_check_current(const struct elf_file *file, struct error *error)
{
    uint32_t version = file->header.start.version;
    return version == EV_CURRENT ||
           byte_source_malformed(error, ELF_CONTAINER, file->source,
                                 offsetof(Elf64_Ehdr, e_version), "ELF version %u is not %u",
                                 version, EV_CURRENT);
}

bool elf_check_range(const struct elf_file *file, const char *what, uint64_t offset, uint64_t size,
                     struct error *error)
{
    unsigned long long have = file->source->size, at = offset, want = size;
    uint64_t end;
    if (offset <= have && size <= have - offset)
        return true;
    if (__builtin_add_overflow(offset, size, &end))
        return byte_source_malformed(error, ELF_CONTAINER, file->source, 0,
                                     "%s at %llu has %llu bytes, but the file has only %llu", what,
                                     at, want, have);
    return byte_source_malformed(
        error, ELF_CONTAINER, file->source, offset,
        "truncated: %s at %llu ends at %llu, but the file has only %llu bytes", what, at,
        (unsigned long long)end, have);
}

static bool check_section_size(const struct elf_file *file, struct error *error)
{
    unsigned size = file->header.section_size;
    return size == layout_of(file)->section ||
           byte_source_malformed(error, ELF_CONTAINER, file->source, 0,
                                 "section headers of %u bytes", size);
}

/* What is too large for a field of the header stands in the first section (extended numbering). */
static const unsigned char *first_section(const struct elf_file *file, struct error *error)
{
    return byte_window_at(file->window, file->source, file->header.sections_at,
                          layout_of(file)->section, TABLE_AHEAD, "the first section", error);
}

static bool count_segments(struct elf_file *file, struct error *error)
{
    const struct elf_header *header = &file->header;
    file->segment_count = header->segment_count;
    if (header->segment_count != PN_XNUM)
        return true;
    if (header->sections_at == 0)
        return byte_source_malformed(error, ELF_CONTAINER, file->source, 0,
                                     "more than %u program headers, and no section says how many",
                                     PN_XNUM - 1);
    const unsigned char *bytes =
        check_section_size(file, error) ? first_section(file, error) : NULL;
    if (bytes == NULL)
        return false;
    file->segment_count = elf_number32(header->start.is_big, bytes, layout_of(file)->sh_info);
    return file->segment_count <= ELF_SEGMENTS_MAX ||
           byte_source_malformed(error, ELF_CONTAINER, file->source, header->sections_at,
                                 "%u program headers, more than the limit of %u",
                                 file->segment_count, ELF_SEGMENTS_MAX);
}

bool elf_open(const struct byte_source *source, struct byte_window *window,
              struct elf_file *ret_file, struct error *error)
{
    struct elf_file file = {.source = source, .window = window};
    if (!read_header(source, window, &file.header, error))
        return false;
    size_t segment = layout_of(&file)->segment;
    if (file.header.segment_count > 0 && file.header.segment_size != segment)
        return byte_source_malformed(error, ELF_CONTAINER, source, 0, "program headers of %u bytes",
                                     file.header.segment_size);
    if (!count_segments(&file, error) ||
        (file.segment_count > 0 &&
         !elf_check_range(&file, "program header table", file.header.segments_at,
                          file.segment_count * (uint64_t)segment, error)))
        return false;
    *ret_file = file;
    return true;
}

static bool count_sections(struct elf_file *file, struct error *error)
{
    const struct elf_header *header = &file->header;
    file->section_count = header->section_count;
    file->names = header->names_index;
    if (header->section_count != 0 && header->names_index != SHN_XINDEX)
        return true;
    const unsigned char *bytes = first_section(file, error);
    if (bytes == NULL)
        return false;
    const struct elf_layout *layout = layout_of(file);
    if (header->names_index == SHN_XINDEX)
        file->names = elf_number32(header->start.is_big, bytes, layout->sh_link);
    if (header->section_count != 0)
        return true;
    uint64_t count = elf_number(header->start.is_big, bytes, layout->sh_size);
    if (count > ELF_SECTIONS_MAX)
        return byte_source_malformed(error, ELF_CONTAINER, file->source, header->sections_at,
                                     "%llu sections, more than the limit of %u",
                                     (unsigned long long)count, ELF_SECTIONS_MAX);
    file->section_count = (uint32_t)count;
    return true;
}

bool elf_open_sections(struct elf_file *file, struct error *error)
{
    const struct elf_layout *layout = layout_of(file);
    unsigned header = file->header.header_size;
    uint64_t at = file->header.sections_at, size = file->source->size;
    file->section_count = 0;
    file->names = 0;
    /* A class that was changed would otherwise hide the section headers. */
    if (header != 0 && header != layout->header)
        return byte_source_malformed(error, ELF_CONTAINER, file->source, 0,
                                     "the header has %u bytes instead of %zu", header,
                                     layout->header);
    if (at == 0)
        return true;
    if (!check_section_size(file, error) || !count_sections(file, error))
        return false;
    if (file->section_count > 0 &&
        (at > size || file->section_count > (size - at) / layout->section))
        return byte_source_malformed(error, ELF_CONTAINER, file->source, at,
                                     "%u section headers of %zu bytes do not fit",
                                     file->section_count, layout->section);
    return true;
}

bool elf_segment(const struct elf_file *file, uint32_t index, struct elf_segment *ret_segment,
                 struct error *error)
{
    const struct elf_layout *layout = layout_of(file);
    uint64_t at = file->header.segments_at + (uint64_t)index * layout->segment;
    const unsigned char *bytes = byte_window_at(file->window, file->source, at, layout->segment,
                                                TABLE_AHEAD, "a program header", error);
    if (bytes == NULL)
        return false;
    bool big = file->header.start.is_big;
    *ret_segment = (struct elf_segment){.type = elf_number32(big, bytes, layout->p_type),
                                        .offset = elf_number(big, bytes, layout->p_offset),
                                        .size = elf_number(big, bytes, layout->p_filesz),
                                        .address = elf_number(big, bytes, layout->p_vaddr),
                                        .align = elf_number(big, bytes, layout->p_align)};
    return true;
}

bool elf_section(const struct elf_file *file, uint32_t index, struct elf_section *ret_section,
                 struct error *error)
{
    const struct elf_layout *layout = layout_of(file);
    uint64_t at = file->header.sections_at + (uint64_t)index * layout->section;
    const unsigned char *bytes = byte_window_at(file->window, file->source, at, layout->section,
                                                TABLE_AHEAD, "a section header", error);
    if (bytes == NULL)
        return false;
    bool big = file->header.start.is_big;
    *ret_section = (struct elf_section){.name = elf_number32(big, bytes, layout->sh_name),
                                        .type = elf_number32(big, bytes, layout->sh_type),
                                        .flags = elf_number(big, bytes, layout->sh_flags),
                                        .offset = elf_number(big, bytes, layout->sh_offset),
                                        .size = elf_number(big, bytes, layout->sh_size)};
    return true;
}

bool elf_section_names(const struct elf_file *file, size_t max, struct text *names,
                       struct error *error)
{
    struct elf_section section;
    if (file->names >= file->section_count)
        return byte_source_malformed(error, ELF_CONTAINER, file->source, 0,
                                     "section %u of %u should contain the section names",
                                     file->names, file->section_count);
    if (!elf_section(file, file->names, &section, error))
        return false;
    if (section.size > max)
        return byte_source_malformed(error, ELF_CONTAINER, file->source, section.offset,
                                     "section names of 0x%llx bytes, more than the limit of 0x%zx",
                                     (unsigned long long)section.size, max);
    if (section.offset > file->source->size || section.size > file->source->size - section.offset)
        return byte_source_malformed(error, ELF_CONTAINER, file->source, section.offset,
                                     "the names of the sections do not fit in the file");
    names->data = mem_alloc((size_t)section.size + 1);
    names->size = (size_t)section.size;
    return byte_source_read(file->source, section.offset, names->data, names->size,
                            "the names of the sections", error);
}

bool elf_section_find(const struct elf_file *file, const struct text *names, const char *name,
                      bool *ret_found, struct elf_section *ret_section, struct error *error)
{
    *ret_found = false;
    for (uint32_t i = 1; i < file->section_count && !*ret_found; i++) {
        if (!elf_section(file, i, ret_section, error))
            return false;
        *ret_found =
            ret_section->name < names->size && strcmp(names->data + ret_section->name, name) == 0;
    }
    return true;
}
