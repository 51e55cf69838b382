/* SPDX-License-Identifier: MIT */
#include "code/elf_host.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "code/fatbin.h"
#include "elf/dynamic.h"

#define ELF "ELF file"

#define NAMES_MAX   (64u << 20) /* of all sections together */
#define DYNAMIC_MAX 4096u       /* entries of the dynamic section that are looked at */

/* What is looked into: sections, or segments where there are no sections. */
enum span_kind { SPAN_LINKED, SPAN_RELOCATABLE, SPAN_DATA };
struct span {
    uint64_t start, end;
    enum span_kind kind;
};
struct spans {
    struct span *items;
    size_t count, capacity;
};

#define AUTO_SPANS AUTO(spans_free)

static void spans_free(struct spans *spans)
{
    free(spans->items);
}

/* Sections of which the name tells what they hold. Of others with data, all may hold fat binaries.
 */
static const struct {
    const char *name;
    bool is_prefix;
    bool is_searched;
    enum span_kind kind;
} section_names[] = {
    {.name = ".nv_fatbin", .is_searched = true, .kind = SPAN_LINKED},
    {.name = "__nv_relfatbin", .is_searched = true, .kind = SPAN_RELOCATABLE},
    {.name = ".nvFatBinSegment"},
    {.name = ".nvHR", .is_prefix = true},
    {.name = "__nv_module_id"},
    {.name = ".eh_frame", .is_prefix = true},
    {.name = ".gcc_except_table", .is_prefix = true},
    {.name = ".interp"},
    {.name = ".got", .is_prefix = true},
    {.name = ".plt", .is_prefix = true},
    {.name = ".rela", .is_prefix = true},
    {.name = ".stapsdt.base"},
};

/* False: nothing is looked for in a section of this name. */
static bool kind_of_section(const char *name, enum span_kind *ret_kind)
{
    for (size_t i = 0; i < sizeof(section_names) / sizeof(section_names[0]); i++) {
        if (section_names[i].is_prefix ? !string_starts(name, section_names[i].name)
                                       : strcmp(name, section_names[i].name) != 0)
            continue;
        *ret_kind = section_names[i].kind;
        return section_names[i].is_searched;
    }
    *ret_kind = SPAN_DATA;
    return true;
}

static bool add_span(struct spans *spans, const struct elf_file *file, uint64_t offset,
                     uint64_t size, enum span_kind kind, struct error *error)
{
    if (size == 0)
        return true;
    if (offset > file->source->size || size > file->source->size - offset)
        return byte_source_malformed(error, ELF, file->source, offset,
                                     "a section of 0x%llx bytes does not fit in the file",
                                     (unsigned long long)size);
    *vec_push(spans->items, spans->count, spans->capacity) =
        (struct span){.start = offset, .end = offset + size, .kind = kind};
    return true;
}

static bool is_candidate(const struct elf_section *section)
{
    return section->type == SHT_PROGBITS && (section->flags & SHF_ALLOC) != 0 &&
           (section->flags & (SHF_EXECINSTR | SHF_COMPRESSED)) == 0;
}

static bool add_sections(const struct elf_file *file, struct spans *spans, struct error *error)
{
    AUTO_TEXT struct text names = {0};
    if (!elf_section_names(file, NAMES_MAX, &names, error))
        return false;
    for (uint32_t i = 1; i < file->section_count; i++) {
        struct elf_section section;
        enum span_kind kind;
        if (!elf_section(file, i, &section, error))
            return false;
        if (!is_candidate(&section))
            continue;
        if (section.name >= names.size)
            return byte_source_malformed(error, ELF, file->source, section.offset,
                                         "the name of section %u is outside the name table", i);
        if (kind_of_section(names.data + section.name, &kind) &&
            !add_span(spans, file, section.offset, section.size, kind, error))
            return false;
    }
    return true;
}

/* Where there are no section headers, all that is loaded is searched: .nv_fatbin of older linkers
 * is in the same segment as the instructions. */
static bool add_segments(struct reading *reading, const struct elf_file *file, struct spans *spans,
                         struct error *error)
{
    reading->listing->sections_missing = true;
    for (uint32_t i = 0; i < file->segment_count; i++) {
        struct elf_segment segment;
        if (!elf_segment(file, i, &segment, error))
            return false;
        if (segment.type == PT_LOAD &&
            !add_span(spans, file, segment.offset, segment.size, SPAN_DATA, error))
            return false;
    }
    return true;
}

static int compare_spans(const void *a, const void *b)
{
    const struct span *left = a;
    const struct span *right = b;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return (left->end > right->end) - (left->end < right->end);
}

/* Each byte is looked at once: sections that overlap are refused, segments are cut. */
static bool order_spans(const struct elf_file *file, struct spans *spans, bool may_overlap,
                        struct error *error)
{
    if (spans->count == 0)
        return true;
    qsort(spans->items, spans->count, sizeof(spans->items[0]), compare_spans);
    uint64_t end = 0;
    for (size_t i = 0; i < spans->count; i++) {
        struct span *span = &spans->items[i];
        if (span->start < end && !may_overlap)
            return byte_source_malformed(error, ELF, file->source, span->start,
                                         "two sections hold the same bytes");
        if (span->start < end)
            span->start = span->end < end ? span->end : end;
        if (span->end > end)
            end = span->end;
    }
    return true;
}

static bool list_span(struct reading *reading, const struct elf_file *file, const struct span *span,
                      struct error *error)
{
    struct fatbin_place place = {
        .source = file->source,
        .start = span->start,
        .end = span->end,
        .relocatable = span->kind == SPAN_RELOCATABLE,
        .embedded = span->kind == SPAN_DATA && !reading->listing->sections_missing,
    };
    return span->kind == SPAN_DATA ? fatbin_search(reading, &place, error)
                                   : fatbin_walk(reading, &place, error);
}

/* Data last: the toolkit is that of the library's own code, and not of what it embeds. */
static bool list_spans(struct reading *reading, const struct elf_file *file,
                       const struct spans *spans, struct error *error)
{
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < spans->count; i++)
            if ((spans->items[i].kind == SPAN_DATA) == (pass == 1) &&
                !list_span(reading, file, &spans->items[i], error))
                return false;
    return true;
}

/* What the dynamic section says: position-independent executables say so, libraries have a name. */
static bool read_dynamic(const struct elf_file *file, const struct elf_segment *segment,
                         bool *ret_pie, bool *ret_named, struct error *error)
{
    uint64_t count = elf_entry_count(file, segment);
    for (uint64_t i = 0; i < count && i < DYNAMIC_MAX; i++) {
        struct elf_entry entry;
        if (!elf_entry(file, segment, i, &entry, error))
            return false;
        if (entry.tag == DT_NULL)
            break;
        *ret_named |= entry.tag == DT_SONAME;
        *ret_pie |= entry.tag == DT_FLAGS_1 && (entry.value & DF_1_PIE) != 0;
    }
    return true;
}

static bool kind_of_dynamic(const struct elf_file *file, enum code_file *ret_file,
                            struct error *error)
{
    bool is_pie = false, is_named = false, has_interpreter = false, has_dynamic = false;
    for (uint32_t i = 0; i < file->segment_count; i++) {
        struct elf_segment segment;
        if (!elf_segment(file, i, &segment, error))
            return false;
        has_interpreter |= segment.type == PT_INTERP;
        if (segment.type != PT_DYNAMIC || has_dynamic)
            continue;
        has_dynamic = true;
        if (!read_dynamic(file, &segment, &is_pie, &is_named, error))
            return false;
    }
    *ret_file =
        is_pie || (has_interpreter && !is_named) ? CODE_FILE_EXECUTABLE : CODE_FILE_SHARED_OBJECT;
    return true;
}

bool elf_host_list(struct reading *reading, const struct elf_file *file, enum code_file *ret_file,
                   struct error *error)
{
    unsigned type = file->header.start.type;
    *ret_file = type == ET_REL ? CODE_FILE_RELOCATABLE : CODE_FILE_EXECUTABLE;
    if (type == ET_DYN && !kind_of_dynamic(file, ret_file, error))
        return false;
    AUTO_SPANS struct spans spans = {0};
    bool has_sections = file->section_count > 1;
    if (has_sections ? !add_sections(file, &spans, error)
                     : !add_segments(reading, file, &spans, error))
        return false;
    return order_spans(file, &spans, !has_sections, error) &&
           list_spans(reading, file, &spans, error);
}
