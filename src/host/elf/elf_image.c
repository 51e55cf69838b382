/* SPDX-License-Identifier: MIT */
#include "host/elf/elf_image.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"

/* How much of a file that is not ELF is shown. */
#define SHOWN_BYTES 24

bool elf_malformed(struct error *error, const char *format, ...)
{
    AUTO_TEXT struct text why = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&why, format, arguments);
    va_end(arguments);
    error_set(error, ERROR_DATA, "not a valid ELF file");
    return error_why(error, "%s", text_string(&why));
}

static bool refused_by_libelf(struct error *error, const char *what)
{
    return elf_malformed(error, "%s: %s", what, elf_errmsg(-1));
}

static bool not_elf(const char *head, size_t size, struct error *error)
{
    error_set(error, ERROR_DATA, "not an ELF file");
    if (size == 0)
        return error_why(error, "the file is empty");
    AUTO_TEXT struct text start = {0};
    size_t shown = size < SHOWN_BYTES ? size : SHOWN_BYTES;
    const char *end_of_line = memchr(head, '\n', shown);
    if (end_of_line != NULL && end_of_line != head)
        shown = (size_t)(end_of_line - head);
    text_append_safe_n(&start, head, shown);
    return error_why(error, "begins with \"%s\"", text_string(&start));
}

static bool check_identity(const char *head, size_t head_size, struct error *error)
{
    if (head_size < SELFMAG || memcmp(head, ELFMAG, SELFMAG) != 0)
        return not_elf(head, head_size, error);
    if (head_size < EI_NIDENT)
        return elf_malformed(error, "truncated: the file has %zu bytes", head_size);
    unsigned class = (unsigned char)head[EI_CLASS];
    unsigned order = (unsigned char)head[EI_DATA];
    if (class != ELFCLASS32 && class != ELFCLASS64)
        return elf_malformed(error, "class %u is neither 32 nor 64 bit", class);
    if (order != ELFDATA2LSB && order != ELFDATA2MSB)
        return elf_malformed(error, "byte order %u is neither little nor big", order);
    size_t need = class == ELFCLASS64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
    if (head_size >= need)
        return true;
    return elf_malformed(error, "truncated: the header has %zu bytes, the file %zu", need,
                         head_size);
}

static GElf_Ehdr widened(const Elf32_Ehdr *header)
{
    return (GElf_Ehdr){.e_type = header->e_type,
                       .e_machine = header->e_machine,
                       .e_version = header->e_version,
                       .e_phoff = header->e_phoff,
                       .e_shoff = header->e_shoff,
                       .e_phentsize = header->e_phentsize,
                       .e_phnum = header->e_phnum,
                       .e_shnum = header->e_shnum,
                       .e_shstrndx = header->e_shstrndx};
}

/* libelf counts the sections when it opens a file, and trusts the count: the header is looked at
 * before. */
static bool read_header(const char *head, size_t head_size, struct elf_image *image,
                        struct error *error)
{
    if (!check_identity(head, head_size, error))
        return false;
    char raw[sizeof(Elf64_Ehdr)];
    memcpy(raw, head, head_size);
    unsigned order = (unsigned char)head[EI_DATA];
    Elf_Data from = {.d_buf = raw, .d_type = ELF_T_EHDR, .d_version = EV_CURRENT};
    Elf_Data to = from;
    Elf32_Ehdr header32;
    bool done;
    image->bits = head[EI_CLASS] == ELFCLASS64 ? 64 : 32;
    if (image->bits == 64) {
        to.d_buf = &image->header;
        from.d_size = to.d_size = sizeof(image->header);
        done = elf64_xlatetom(&to, &from, order) != NULL;
    } else {
        to.d_buf = &header32;
        from.d_size = to.d_size = sizeof(header32);
        done = elf32_xlatetom(&to, &from, order) != NULL;
        image->header = widened(&header32);
    }
    return done || refused_by_libelf(error, "header");
}

static bool check_range(const struct elf_image *image, const char *what, uint64_t offset,
                        uint64_t size, struct error *error)
{
    if (offset <= image->size && size <= image->size - offset)
        return true;
    uint64_t end;
    if (__builtin_add_overflow(offset, size, &end))
        return elf_malformed(error, "%s at %llu has %llu bytes, the file %llu", what,
                             (unsigned long long)offset, (unsigned long long)size,
                             (unsigned long long)image->size);
    return elf_malformed(error, "truncated: %s at %llu ends at %llu, the file has %llu bytes", what,
                         (unsigned long long)offset, (unsigned long long)end,
                         (unsigned long long)image->size);
}

static bool check_header(const struct elf_image *image, struct error *error)
{
    const GElf_Ehdr *header = &image->header;
    if (header->e_version != EV_CURRENT)
        return elf_malformed(error, "ELF version %u is not %u", header->e_version, EV_CURRENT);
    size_t entry = image->bits == 64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    if (header->e_phnum > 0 && header->e_phentsize != entry)
        return elf_malformed(error, "program headers of %u bytes each, not %zu",
                             header->e_phentsize, entry);
    if (header->e_phnum == PN_XNUM)
        return elf_malformed(error, "more than %u program headers", PN_XNUM - 1);
    if (header->e_shnum == 0 && header->e_shoff != 0)
        return elf_malformed(error, "more than %u sections", SHN_LORESERVE - 1);
    return check_range(image, "program header table", header->e_phoff,
                       (uint64_t)header->e_phnum * entry, error);
}

static bool check_segments(const struct elf_image *image, struct error *error)
{
    GElf_Phdr segment;
    size_t count = image->header.e_phnum;
    for (size_t i = 0; i < count; i++) {
        if (!elf_image_segment(image, i, &segment))
            return refused_by_libelf(error, "program headers");
        bool used =
            segment.p_type == PT_LOAD || segment.p_type == PT_DYNAMIC || segment.p_type == PT_NOTE;
        if (!used || segment.p_filesz == 0)
            continue;
        char what[40];
        snprintf(what, sizeof(what), "segment %zu", i);
        if (!check_range(image, what, segment.p_offset, segment.p_filesz, error))
            return false;
    }
    return true;
}

static bool read_head(int fd, char head[static sizeof(Elf64_Ehdr)], size_t *ret_size,
                      uint64_t *ret_file_size, struct error *error)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return error_set_errno(error, ERROR_NO_INPUT, errno, NULL, "cannot read");
    ssize_t got = pread(fd, head, sizeof(Elf64_Ehdr), 0);
    if (got < 0)
        return error_set_errno(error, ERROR_NO_INPUT, errno, NULL, "cannot read");
    *ret_size = (size_t)got;
    *ret_file_size = status.st_size > 0 ? (uint64_t)status.st_size : 0;
    return true;
}

static bool open_image(int fd, const char *bytes, size_t size, struct elf_image *image,
                       struct error *error)
{
    char head[sizeof(Elf64_Ehdr)] = {0};
    size_t head_size = size < sizeof(head) ? size : sizeof(head);
    if (fd >= 0) {
        if (!read_head(fd, head, &head_size, &image->size, error))
            return false;
    } else if (head_size > 0) {
        memcpy(head, bytes, head_size);
    }
    if (!read_header(head, head_size, image, error) || !check_header(image, error))
        return false;
    if (fd >= 0) {
        image->elf = elf_begin(fd, ELF_C_READ, NULL);
    } else {
        image->copy = mem_string_n(bytes, size);
        image->elf = elf_memory(image->copy, size);
    }
    if (image->elf == NULL || elf_kind(image->elf) != ELF_K_ELF)
        return refused_by_libelf(error, "header");
    return check_segments(image, error);
}

bool elf_image_open(int fd, const char *bytes, size_t size, struct elf_image *ret_image,
                    struct error *error)
{
    struct elf_image image = {.size = size};
    elf_version(EV_CURRENT);
    if (!open_image(fd, bytes, size, &image, error)) {
        elf_image_close(&image);
        return false;
    }
    *ret_image = image;
    return true;
}

void elf_image_close(struct elf_image *image)
{
    elf_end(image->elf);
    free(image->copy);
    *image = (struct elf_image){0};
}

bool elf_image_segment(const struct elf_image *image, size_t index, GElf_Phdr *ret_segment)
{
    return index < image->header.e_phnum &&
           gelf_getphdr(image->elf, (int)index, ret_segment) != NULL;
}

bool elf_image_locate(const struct elf_image *image, uint64_t address, uint64_t *ret_offset,
                      uint64_t *ret_left)
{
    GElf_Phdr segment;
    for (size_t i = 0; elf_image_segment(image, i, &segment); i++) {
        if (segment.p_type != PT_LOAD || address < segment.p_vaddr ||
            address - segment.p_vaddr >= segment.p_filesz)
            continue;
        uint64_t into = address - segment.p_vaddr;
        *ret_offset = segment.p_offset + into;
        *ret_left = segment.p_filesz - into;
        return true;
    }
    return false;
}

Elf_Data *elf_image_chunk(const struct elf_image *image, uint64_t offset, uint64_t size,
                          Elf_Type type, const char *what, struct error *error)
{
    if (!check_range(image, what, offset, size, error))
        return NULL;
    Elf_Data *data = elf_getdata_rawchunk(image->elf, (int64_t)offset, size, type);
    if (data == NULL || data->d_buf == NULL) {
        refused_by_libelf(error, what);
        return NULL;
    }
    return data;
}
