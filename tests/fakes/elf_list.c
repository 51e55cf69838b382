/* SPDX-License-Identifier: MIT */
/* elf-list [FILE…]: all that elf/ reads in files (without any: in those that standard input names,
 * a line each), each as "file PATH" and lines of words behind it. For tests/program/elf-compare,
 * which holds them against readelf. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "elf/dynamic.h"
#include "elf/modinfo.h"
#include "host/root/byte_file.h"
#include "host/elf/elf.h"

#define NAMES_MAX (64u << 20)

static void print_number(const char *key, unsigned long long number)
{
    printf(" %s=0x%llx", key, number);
}

static void print_safe(const char *key, const char *text)
{
    AUTO_FREE char *safe = string_safe(text);
    if (safe != NULL)
        printf("%s %s\n", key, safe);
}

static void print_header(const struct elf_file *file)
{
    const struct elf_header *header = &file->header;
    printf("header");
    print_number("bits", header->start.bits);
    print_number("order", header->start.order);
    print_number("ident_version", header->start.ident_version);
    print_number("abi", header->start.abi);
    print_number("abi_version", header->start.abi_version);
    print_number("type", header->start.type);
    print_number("machine", header->start.machine);
    print_number("version", header->start.version);
    print_number("flags", header->flags);
    print_number("segments_at", header->segments_at);
    print_number("sections_at", header->sections_at);
    print_number("header_size", header->header_size);
    print_number("segment_size", header->segment_size);
    print_number("section_size", header->section_size);
    print_number("segments", file->segment_count);
    print_number("sections", file->section_count);
    print_number("names", file->names);
    putchar('\n');
}

static bool print_dynamic(const struct elf_file *file, const struct elf_segment *dynamic,
                          struct error *error)
{
    uint64_t count = elf_entry_count(file, dynamic);
    for (uint64_t i = 0; i < count; i++) {
        struct elf_entry entry;
        if (!elf_entry(file, dynamic, i, &entry, error))
            return false;
        printf("entry");
        print_number("tag", entry.tag);
        print_number("value", entry.value);
        putchar('\n');
        if (entry.tag == DT_NULL)
            break;
    }
    return true;
}

static bool print_segments(const struct elf_file *file, struct error *error)
{
    struct elf_segment dynamic = {.size = 0};
    for (uint32_t i = 0; i < file->segment_count; i++) {
        struct elf_segment segment;
        if (!elf_segment(file, i, &segment, error))
            return false;
        printf("segment");
        print_number("type", segment.type);
        print_number("offset", segment.offset);
        print_number("address", segment.address);
        print_number("size", segment.size);
        print_number("align", segment.align);
        putchar('\n');
        if (segment.type == PT_DYNAMIC && dynamic.size == 0)
            dynamic = segment;
    }
    return print_dynamic(file, &dynamic, error);
}

static bool print_sections(const struct elf_file *file, struct error *error)
{
    AUTO_TEXT struct text names = {0};
    if (file->section_count == 0 || file->names == 0)
        return true;
    if (!elf_section_names(file, NAMES_MAX, &names, error))
        return false;
    for (uint32_t i = 0; i < file->section_count; i++) {
        struct elf_section section;
        if (!elf_section(file, i, &section, error))
            return false;
        printf("section");
        print_number("type", section.type);
        print_number("flags", section.flags);
        print_number("offset", section.offset);
        print_number("size", section.size);
        print_safe("", section.name < names.size ? names.data + section.name : "?");
    }
    return true;
}

static bool print_info(const struct byte_source *source, struct error *error)
{
    AUTO_ELF struct elf_info info = {.bits = 0};
    if (!elf_info_read(source, &info, error))
        return false;
    print_safe("soname", info.soname);
    for (size_t i = 0; i < info.needed.count; i++)
        print_safe("needed", info.needed.items[i]);
    print_safe("rpath", info.rpath);
    print_safe("runpath", info.runpath);
    print_safe("build_id", info.build_id);
    print_safe("glibc_needed", info.glibc_needed);
    print_safe("glibc_defined", info.glibc_defined);
    return true;
}

static bool print_modinfo(const struct byte_source *source)
{
    AUTO_STRLIST struct strlist fields = {0};
    AUTO_ERROR struct error error = {0};
    if (!elf_modinfo_read(source, &fields, &error))
        return false;
    for (size_t i = 0; i < fields.count; i++)
        print_safe("modinfo", fields.items[i]);
    return true;
}

static bool list_source(const struct byte_source *source, struct byte_window *window,
                        struct error *error)
{
    struct elf_file file;
    window->source = NULL; /* the file before was at the same address */
    if (!elf_open(source, window, &file, error) || !elf_open_sections(&file, error))
        return false;
    print_header(&file);
    if (!print_segments(&file, error) || !print_sections(&file, error) ||
        !print_info(source, error))
        return false;
    print_modinfo(source);
    return true;
}

static void list_file(const struct host *host, struct byte_window *window, const char *path)
{
    AUTO_BYTE_FILE struct byte_source source = BYTE_SOURCE_NONE;
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *real = realpath(path, NULL);
    printf("file %s\n", path);
    if (byte_file_open(host, real == NULL ? path : real, &source, &error) == HOST_OK &&
        list_source(&source, window, &error))
        return;
    AUTO_TEXT struct text text = {0};
    error_format(&error, &text);
    printf("refused %s\n", text_string(&text));
}

int main(int count, char **arguments)
{
    AUTO_HOST struct host *host = host_new(NULL, NULL);
    AUTO_FREE struct byte_window *window = byte_window_new();
    for (int i = 1; host != NULL && i < count; i++)
        list_file(host, window, arguments[i]);
    char line[4096];
    while (host != NULL && count == 1 && fgets(line, sizeof(line), stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        list_file(host, window, line);
    }
    return host == NULL;
}
