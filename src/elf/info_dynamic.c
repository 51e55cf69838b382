/* SPDX-License-Identifier: MIT */
#include "elf/info_private.h"

#include <string.h>

#include "base/text.h"
#include "elf/layout.h"

/* Bounds on what one file may make us read. Real libraries need a few hundred names at most, which
 * are those of files; the RUNPATH of a build tree can be several kilobytes. */
#define DYNAMIC_MAX   (1024u * 1024)
#define NEEDED_MAX    256
#define STRINGS_AHEAD 4096u

/* The entries of the dynamic section that are read, besides DT_NEEDED. */
enum entry { STRTAB, STRSZ, SONAME, RPATH, RUNPATH, VERNEED, VERDEF, ENTRY_COUNT };

static const uint64_t entry_tags[ENTRY_COUNT] = {
    [STRTAB] = DT_STRTAB,   [STRSZ] = DT_STRSZ,     [SONAME] = DT_SONAME, [RPATH] = DT_RPATH,
    [RUNPATH] = DT_RUNPATH, [VERNEED] = DT_VERNEED, [VERDEF] = DT_VERDEF,
};

struct dynamic {
    bool present[ENTRY_COUNT];
    uint64_t value[ENTRY_COUNT];
    uint64_t needed[NEEDED_MAX]; /* offsets into the strings */
    size_t needed_count;
};

static bool keep_entry(const struct elf_reading *reading, struct dynamic *dynamic,
                       const struct elf_entry *entry, struct error *error)
{
    if (entry->tag == DT_NEEDED) {
        if (dynamic->needed_count == NEEDED_MAX)
            return byte_source_malformed(error, ELF_CONTAINER, reading->file.source,
                                         reading->dynamic.offset, "needs more than %d libraries",
                                         NEEDED_MAX);
        dynamic->needed[dynamic->needed_count++] = entry->value;
    }
    for (size_t i = 0; i < ENTRY_COUNT; i++) {
        if (entry_tags[i] != entry->tag)
            continue;
        dynamic->present[i] = true;
        dynamic->value[i] = entry->value;
    }
    return true;
}

static bool read_entries(const struct elf_reading *reading, struct dynamic *dynamic,
                         struct error *error)
{
    struct elf_file file = reading->file;
    file.window = reading->far;
    if (reading->dynamic.size > DYNAMIC_MAX)
        return byte_source_malformed(error, ELF_CONTAINER, file.source, reading->dynamic.offset,
                                     "the dynamic section is too large: %llu bytes",
                                     (unsigned long long)reading->dynamic.size);
    uint64_t count = elf_entry_count(&file, &reading->dynamic);
    for (uint64_t i = 0; i < count; i++) {
        struct elf_entry entry;
        if (!elf_entry(&file, &reading->dynamic, i, &entry, error))
            return false;
        if (entry.tag == DT_NULL)
            break;
        if (!keep_entry(reading, dynamic, &entry, error))
            return false;
    }
    return true;
}

/* Where the file holds what is loaded at each table's address: left is 0 where it does not. */
static bool locate(const struct elf_reading *reading, struct elf_table *tables, size_t count,
                   struct error *error)
{
    for (uint32_t i = 0; i < reading->file.segment_count; i++) {
        struct elf_segment segment;
        if (!elf_segment(&reading->file, i, &segment, error))
            return false;
        for (size_t j = 0; segment.type == PT_LOAD && j < count; j++) {
            uint64_t into = tables[j].address - segment.address;
            if (tables[j].left > 0 || tables[j].address < segment.address || into >= segment.size)
                continue;
            tables[j].offset = segment.offset + into;
            tables[j].left = segment.size - into;
        }
    }
    return true;
}

static bool find_strings(struct elf_reading *reading, const struct dynamic *dynamic,
                         const struct elf_table *table, struct error *error)
{
    if (!dynamic->present[STRTAB])
        return true; /* any name it has is then outside the strings of size 0 */
    if (table->left == 0)
        return byte_source_malformed(error, ELF_CONTAINER, reading->file.source,
                                     reading->dynamic.offset,
                                     "string table at address 0x%llx is not in any segment",
                                     (unsigned long long)table->address);
    reading->strings = table->offset;
    reading->strings_size = dynamic->value[STRSZ];
    if (reading->strings_size > table->left)
        return byte_source_malformed(
            error, ELF_CONTAINER, reading->file.source, table->offset,
            "string table at %llu has %llu bytes, but its segment has only %llu",
            (unsigned long long)table->offset, (unsigned long long)reading->strings_size,
            (unsigned long long)table->left);
    return true;
}

char *elf_read_string(const struct elf_reading *reading, uint64_t offset, size_t max,
                      const char *what, struct error *error)
{
    const struct byte_source *source = reading->file.source;
    if (offset >= reading->strings_size) {
        byte_source_malformed(error, ELF_CONTAINER, source, reading->strings,
                              "%s at %llu is outside the string table of %llu bytes", what,
                              (unsigned long long)offset,
                              (unsigned long long)reading->strings_size);
        return NULL;
    }
    uint64_t left = reading->strings_size - offset, at = reading->strings + offset;
    for (size_t limit = ELF_NAME_SIZE; limit <= max; limit *= ELF_PATHS_SIZE / ELF_NAME_SIZE) {
        size_t size = left < limit ? (size_t)left : limit;
        const unsigned char *bytes =
            byte_window_at(reading->far, source, at, size, STRINGS_AHEAD, what, error);
        if (bytes == NULL)
            return NULL;
        if (memchr(bytes, '\0', size) != NULL)
            return mem_string((const char *)bytes);
    }
    byte_source_malformed(error, ELF_CONTAINER, source, at,
                          "%s at %llu in the string table is not terminated", what,
                          (unsigned long long)offset);
    return NULL;
}

static bool read_named(const struct elf_reading *reading, const struct dynamic *dynamic,
                       enum entry entry, size_t max, const char *what, char **ret_string,
                       struct error *error)
{
    if (!dynamic->present[entry])
        return true;
    *ret_string = elf_read_string(reading, dynamic->value[entry], max, what, error);
    return *ret_string != NULL;
}

static bool read_names(const struct elf_reading *reading, const struct dynamic *dynamic,
                       struct error *error)
{
    struct elf_info *info = reading->info;
    if (!read_named(reading, dynamic, SONAME, ELF_NAME_SIZE, "DT_SONAME", &info->soname, error) ||
        !read_named(reading, dynamic, RPATH, ELF_PATHS_SIZE, "DT_RPATH", &info->rpath, error) ||
        !read_named(reading, dynamic, RUNPATH, ELF_PATHS_SIZE, "DT_RUNPATH", &info->runpath, error))
        return false;
    for (size_t i = 0; i < dynamic->needed_count; i++) {
        char *name =
            elf_read_string(reading, dynamic->needed[i], ELF_NAME_SIZE, "DT_NEEDED", error);
        if (name == NULL)
            return false;
        strlist_take(&info->needed, name);
    }
    return true;
}

bool elf_read_dynamic(struct elf_reading *reading, struct error *error)
{
    struct dynamic dynamic = {.needed_count = 0};
    if (reading->dynamic.size == 0)
        return true;
    if (!read_entries(reading, &dynamic, error))
        return false;
    enum { TABLE_STRINGS, TABLE_NEEDS, TABLE_DEFINITIONS, TABLE_COUNT };
    static const enum entry entries[TABLE_COUNT] = {STRTAB, VERNEED, VERDEF};
    struct elf_table tables[TABLE_COUNT];
    for (size_t i = 0; i < TABLE_COUNT; i++)
        tables[i] = (struct elf_table){.is_there = dynamic.present[entries[i]],
                                       .address = dynamic.value[entries[i]]};
    return locate(reading, tables, TABLE_COUNT, error) &&
           find_strings(reading, &dynamic, &tables[TABLE_STRINGS], error) &&
           read_names(reading, &dynamic, error) &&
           elf_read_needs(reading, &tables[TABLE_NEEDS], error) &&
           elf_read_definitions(reading, &tables[TABLE_DEFINITIONS], error);
}
