/* SPDX-License-Identifier: MIT */
#include "elf/header.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "elf/layout.h"

/* How much of a file that is not ELF is shown. */
#define SHOWN_BYTES 24

#define FIELDS_OF_HEADER(header)                                                                   \
    .e_phoff = ELF_FIELD(header, e_phoff), .e_shoff = ELF_FIELD(header, e_shoff),                  \
    .e_flags = ELF_FIELD(header, e_flags), .e_ehsize = ELF_FIELD(header, e_ehsize),                \
    .e_phentsize = ELF_FIELD(header, e_phentsize), .e_phnum = ELF_FIELD(header, e_phnum),          \
    .e_shentsize = ELF_FIELD(header, e_shentsize), .e_shnum = ELF_FIELD(header, e_shnum),          \
    .e_shstrndx = ELF_FIELD(header, e_shstrndx)
#define FIELDS_OF_SEGMENT(segment)                                                                 \
    .p_type = ELF_FIELD(segment, p_type), .p_offset = ELF_FIELD(segment, p_offset),                \
    .p_vaddr = ELF_FIELD(segment, p_vaddr), .p_filesz = ELF_FIELD(segment, p_filesz),              \
    .p_align = ELF_FIELD(segment, p_align)
#define FIELDS_OF_SECTION(section)                                                                 \
    .sh_name = ELF_FIELD(section, sh_name), .sh_type = ELF_FIELD(section, sh_type),                \
    .sh_flags = ELF_FIELD(section, sh_flags), .sh_offset = ELF_FIELD(section, sh_offset),          \
    .sh_size = ELF_FIELD(section, sh_size), .sh_link = ELF_FIELD(section, sh_link),                \
    .sh_info = ELF_FIELD(section, sh_info)
#define LAYOUT(header_type, segment_type, section_type, entry_type)                                \
    {                                                                                              \
        .header = sizeof(header_type), .segment = sizeof(segment_type),                            \
        .section = sizeof(section_type), .entry = sizeof(entry_type),                              \
        FIELDS_OF_HEADER(header_type), FIELDS_OF_SEGMENT(segment_type),                            \
        FIELDS_OF_SECTION(section_type), .d_tag = ELF_FIELD(entry_type, d_tag),                    \
        .d_val = ELF_FIELD(entry_type, d_un.d_val)                                                 \
    }

static const struct elf_layout narrow = LAYOUT(Elf32_Ehdr, Elf32_Phdr, Elf32_Shdr, Elf32_Dyn);
static const struct elf_layout wide = LAYOUT(Elf64_Ehdr, Elf64_Phdr, Elf64_Shdr, Elf64_Dyn);

/* Of the header, up to e_version. */
static const struct elf_field type_field = ELF_FIELD(Elf64_Ehdr, e_type);
static const struct elf_field machine_field = ELF_FIELD(Elf64_Ehdr, e_machine);
static const struct elf_field version_field = ELF_FIELD(Elf64_Ehdr, e_version);

static const struct {
    unsigned machine;
    unsigned bits;
    const char *name;
} machine_names[] = {
    {.machine = EM_X86_64, .bits = 64, .name = "x86_64"},
    {.machine = EM_X86_64, .bits = 32, .name = "x32"},
    {.machine = EM_386, .bits = 32, .name = "i386"},
    {.machine = EM_AARCH64, .bits = 64, .name = "aarch64"},
    {.machine = EM_ARM, .bits = 32, .name = "arm"},
    {.machine = EM_PPC64, .bits = 64, .name = "ppc64"},
    {.machine = EM_PPC, .bits = 32, .name = "ppc"},
    {.machine = EM_S390, .bits = 64, .name = "s390x"},
    {.machine = EM_RISCV, .bits = 64, .name = "riscv64"},
};

const struct elf_layout *elf_layout_of(unsigned bits)
{
    return bits == 64 ? &wide : &narrow;
}

bool elf_is(const void *head, size_t size)
{
    return size >= ELF_IDENT && memcmp(head, ELFMAG, SELFMAG) == 0;
}

static unsigned bits_of(unsigned char class)
{
    return class == ELFCLASS64 ? 64 : class == ELFCLASS32 ? 32 : 0;
}

bool elf_start_read(const void *head, size_t size, struct elf_start *ret_start)
{
    const unsigned char *bytes = head;
    if (size < ELF_START || !elf_is(head, size))
        return false;
    bool is_big = bytes[EI_DATA] == ELFDATA2MSB;
    *ret_start = (struct elf_start){.bits = bits_of(bytes[EI_CLASS]),
                                    .order = bytes[EI_DATA],
                                    .is_big = is_big,
                                    .ident_version = bytes[EI_VERSION],
                                    .abi = bytes[EI_OSABI],
                                    .abi_version = bytes[EI_ABIVERSION],
                                    .type = elf_number32(is_big, bytes, type_field),
                                    .machine = elf_number32(is_big, bytes, machine_field),
                                    .version = elf_number32(is_big, bytes, version_field)};
    return true;
}

bool elf_header_read(const void *head, size_t size, struct elf_header *ret_header)
{
    struct elf_start start;
    if (!elf_start_read(head, size, &start) || start.bits == 0)
        return false;
    const struct elf_layout *layout = elf_layout_of(start.bits);
    if (size < layout->header)
        return false;
    bool big = start.is_big;
    *ret_header = (struct elf_header){.start = start,
                                      .segments_at = elf_number(big, head, layout->e_phoff),
                                      .sections_at = elf_number(big, head, layout->e_shoff),
                                      .flags = elf_number32(big, head, layout->e_flags),
                                      .header_size = elf_number32(big, head, layout->e_ehsize),
                                      .segment_size = elf_number32(big, head, layout->e_phentsize),
                                      .section_size = elf_number32(big, head, layout->e_shentsize),
                                      .segment_count = elf_number32(big, head, layout->e_phnum),
                                      .section_count = elf_number32(big, head, layout->e_shnum),
                                      .names_index = elf_number32(big, head, layout->e_shstrndx)};
    return true;
}

char *elf_begins_with(const void *head, size_t size)
{
    if (size == 0)
        return mem_string("the file is empty");
    AUTO_TEXT struct text start = {0};
    size_t shown = size < SHOWN_BYTES ? size : SHOWN_BYTES;
    const char *end_of_line = memchr(head, '\n', shown);
    if (end_of_line != NULL && end_of_line != head)
        shown = (size_t)(end_of_line - (const char *)head);
    text_append_safe_n(&start, head, shown);
    return mem_printf("begins with \"%s\"", text_string(&start));
}

const char *elf_machine_name(unsigned machine, unsigned bits, char buffer[static 24])
{
    for (size_t i = 0; i < sizeof(machine_names) / sizeof(machine_names[0]); i++) {
        if (machine_names[i].machine == machine && machine_names[i].bits == bits)
            return machine_names[i].name;
    }
    snprintf(buffer, 24, "machine %u", machine);
    return buffer;
}
