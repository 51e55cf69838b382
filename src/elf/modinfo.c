/* SPDX-License-Identifier: MIT */
#include "elf/modinfo.h"

#include <string.h>

#include "elf/file.h"
#include "elf/layout.h"

/* .modinfo of nvidia.ko is some 20 KiB, most of it aliases; the names of all sections are less. */
#define MODINFO_MAX (1024u * 1024)

static const char section_name[] = ".modinfo";

static bool find_section(const struct elf_file *file, const struct text *names,
                         struct elf_section *ret_section, struct error *error)
{
    bool found;
    if (!elf_section_find(file, names, section_name, &found, ret_section, error))
        return false;
    if (found)
        return true;
    error_set(error, ERROR_DATA, "not a kernel module");
    return error_why(error, "it has no section %s", section_name);
}

static void split_fields(const char *bytes, size_t size, struct strlist *fields)
{
    for (size_t at = 0; at < size;) {
        size_t length = strnlen(bytes + at, size - at);
        if (length > 0)
            strlist_take(fields, mem_string_n(bytes + at, length));
        at += length + 1;
    }
}

static bool read_fields(const struct elf_file *file, const struct elf_section *section,
                        struct strlist *fields, struct error *error)
{
    if (section->type == SHT_NOBITS || section->size == 0 || section->size > MODINFO_MAX)
        return byte_source_malformed(error, ELF_CONTAINER, file->source, section->offset,
                                     "section %s of %llu bytes", section_name,
                                     (unsigned long long)section->size);
    if (!elf_check_range(file, "section .modinfo", section->offset, section->size, error))
        return false;
    AUTO_FREE char *bytes = mem_alloc((size_t)section->size);
    if (!byte_source_read(file->source, section->offset, bytes, (size_t)section->size, section_name,
                          error))
        return false;
    split_fields(bytes, (size_t)section->size, fields);
    return true;
}

bool elf_modinfo_read(const struct byte_source *source, struct strlist *fields, struct error *error)
{
    AUTO_FREE struct byte_window *window = byte_window_new();
    AUTO_TEXT struct text names = {0};
    struct elf_file file;
    struct elf_section section = {.size = 0};
    return elf_open(source, window, &file, error) && elf_check_current(&file, error) &&
           elf_open_sections(&file, error) &&
           elf_section_names(&file, MODINFO_MAX, &names, error) &&
           find_section(&file, &names, &section, error) &&
           read_fields(&file, &section, fields, error);
}
