/* SPDX-License-Identifier: MIT */
#include "elf/info_private.h"

#include <string.h>

#include "base/text.h"
#include "base/version.h"
#include "elf/layout.h"

/* Bounds on what one file may make us read. */
#define VERSIONS_MAX  2048u
#define VERSIONS_SIZE (64u * 1024)
#define RECORDS_AHEAD 4096u

/* The records are the same in both classes. */
static const struct elf_field need_count = ELF_FIELD(Elf64_Verneed, vn_cnt);
static const struct elf_field need_names = ELF_FIELD(Elf64_Verneed, vn_aux);
static const struct elf_field need_next = ELF_FIELD(Elf64_Verneed, vn_next);
static const struct elf_field need_name = ELF_FIELD(Elf64_Vernaux, vna_name);
static const struct elf_field need_name_next = ELF_FIELD(Elf64_Vernaux, vna_next);
static const struct elf_field definition_count = ELF_FIELD(Elf64_Verdef, vd_cnt);
static const struct elf_field definition_names = ELF_FIELD(Elf64_Verdef, vd_aux);
static const struct elf_field definition_next = ELF_FIELD(Elf64_Verdef, vd_next);
static const struct elf_field definition_name = ELF_FIELD(Elf64_Verdaux, vda_name);

/* Keeps the higher of *highest and name, when name is a version of the C library. GLIBC_PRIVATE
 * and GLIBC_ABI_… are not numbers. */
static void keep_highest(char **highest, const char *name)
{
    struct version seen, best;
    if (!string_starts(name, "GLIBC_") || !version_parse(name + strlen("GLIBC_"), &seen))
        return;
    if (*highest != NULL && version_parse(*highest, &best) && version_compare(&seen, &best) <= 0)
        return;
    free(*highest);
    *highest = mem_string(name + strlen("GLIBC_"));
}

/* A walk through one of the version tables, whose records point to each other by distances. */
struct walk {
    const struct elf_reading *reading;
    const char *what;
    uint64_t offset, size; /* of the table */
    unsigned seen;         /* names, over the whole table: records may point to the same ones */
    char **highest;
};

/* False when the table is in no segment. */
static bool begin_walk(struct walk *walk, const struct elf_table *table, struct error *error)
{
    if (table->left == 0)
        return byte_source_malformed(error, ELF_CONTAINER, walk->reading->file.source,
                                     walk->reading->dynamic.offset,
                                     "%s at address 0x%llx are not in any segment", walk->what,
                                     (unsigned long long)table->address);
    walk->offset = table->offset;
    walk->size = table->left < VERSIONS_SIZE ? table->left : VERSIONS_SIZE;
    return true;
}

/* The record at at, of size bytes. NULL and a filled error where none can be. */
static const unsigned char *record_at(const struct walk *walk, uint64_t at, size_t size,
                                      struct error *error)
{
    const struct elf_file *file = &walk->reading->file;
    if (at <= walk->size && size <= walk->size - at && at % sizeof(uint32_t) == 0)
        return byte_window_at(file->window, file->source, walk->offset + at, size, RECORDS_AHEAD,
                              walk->what, error);
    byte_source_malformed(error, ELF_CONTAINER, file->source, walk->offset,
                          "%s: the record at %llu does not fit into %llu bytes", walk->what,
                          (unsigned long long)at, (unsigned long long)walk->size);
    return NULL;
}

static uint32_t number_in(const struct walk *walk, const unsigned char *record,
                          struct elf_field field)
{
    return elf_number32(walk->reading->file.header.start.is_big, record, field);
}

static bool walk_name(struct walk *walk, uint32_t offset, struct error *error)
{
    if (++walk->seen > VERSIONS_MAX)
        return byte_source_malformed(error, ELF_CONTAINER, walk->reading->file.source, walk->offset,
                                     "%s: more than %u names", walk->what, VERSIONS_MAX);
    AUTO_FREE char *name = elf_read_string(walk->reading, offset, ELF_NAME_SIZE, walk->what, error);
    if (name == NULL)
        return false;
    keep_highest(walk->highest, name);
    return true;
}

static bool walk_needs_of(struct walk *walk, uint64_t at, uint32_t count, struct error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *record = record_at(walk, at, sizeof(Elf64_Vernaux), error);
        if (record == NULL)
            return false;
        uint32_t name = number_in(walk, record, need_name);
        uint32_t next = number_in(walk, record, need_name_next);
        if (!walk_name(walk, name, error))
            return false;
        if (next == 0)
            break;
        at += next;
    }
    return true;
}

static bool walk_needs(struct walk *walk, struct error *error)
{
    for (uint64_t at = 0, next = 1; next != 0; at += next) {
        const unsigned char *record = record_at(walk, at, sizeof(Elf64_Verneed), error);
        if (record == NULL)
            return false;
        next = number_in(walk, record, need_next);
        uint64_t names = at + number_in(walk, record, need_names);
        if (!walk_needs_of(walk, names, number_in(walk, record, need_count), error))
            return false;
    }
    return true;
}

/* The first name of a definition is its own; others are those it follows. */
static bool walk_definitions(struct walk *walk, struct error *error)
{
    for (uint64_t at = 0, next = 1; next != 0; at += next) {
        const unsigned char *record = record_at(walk, at, sizeof(Elf64_Verdef), error);
        if (record == NULL)
            return false;
        next = number_in(walk, record, definition_next);
        if (number_in(walk, record, definition_count) == 0)
            continue;
        uint64_t names = at + number_in(walk, record, definition_names);
        record = record_at(walk, names, sizeof(Elf64_Verdaux), error);
        if (record == NULL || !walk_name(walk, number_in(walk, record, definition_name), error))
            return false;
    }
    return true;
}

bool elf_read_needs(const struct elf_reading *reading, const struct elf_table *table,
                    struct error *error)
{
    struct walk walk = {
        .reading = reading, .what = "version needs", .highest = &reading->info->glibc_needed};
    return !table->is_there || (begin_walk(&walk, table, error) && walk_needs(&walk, error));
}

bool elf_read_definitions(const struct elf_reading *reading, const struct elf_table *table,
                          struct error *error)
{
    struct walk walk = {.reading = reading,
                        .what = "version definitions",
                        .highest = &reading->info->glibc_defined};
    return !table->is_there || (begin_walk(&walk, table, error) && walk_definitions(&walk, error));
}
