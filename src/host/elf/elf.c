/* SPDX-License-Identifier: MIT */
#include "host/elf/elf.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "host/elf/elf_image.h"

/* A file has one to three note segments, of a few notes of a hundred bytes each. libelf keeps what
 * it reads for as long as the file is open. */
#define NOTES_SIZE   (64 * 1024)
#define NOTES_MAX    16
#define BUILD_ID_MAX 64

static const struct {
    uint16_t machine;
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

const char *elf_machine_name(uint16_t machine, unsigned bits, char buffer[static 24])
{
    for (size_t i = 0; i < sizeof(machine_names) / sizeof(machine_names[0]); i++) {
        if (machine_names[i].machine == machine && machine_names[i].bits == bits)
            return machine_names[i].name;
    }
    snprintf(buffer, 24, "machine %u", machine);
    return buffer;
}

static char *hex_string(const unsigned char *bytes, size_t size)
{
    AUTO_TEXT struct text text = {0};
    for (size_t i = 0; i < size; i++)
        text_printf(&text, "%02x", bytes[i]);
    return text_steal(&text);
}

static char *find_build_id(Elf_Data *notes)
{
    GElf_Nhdr note;
    size_t name, content;
    for (size_t at = 0; (at = gelf_getnote(notes, at, &note, &name, &content)) > 0;) {
        const unsigned char *bytes = notes->d_buf;
        bool is_build_id = note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
                           memcmp(bytes + name, "GNU", 4) == 0;
        if (is_build_id && note.n_descsz > 0 && note.n_descsz <= BUILD_ID_MAX)
            return hex_string(bytes + content, note.n_descsz);
    }
    return NULL;
}

static bool read_notes(const struct elf_image *image, struct elf_info *info, struct error *error)
{
    GElf_Phdr segment;
    unsigned looked_at = 0;
    for (size_t i = 0;
         info->build_id == NULL && looked_at < NOTES_MAX && elf_image_segment(image, i, &segment);
         i++) {
        if (segment.p_type != PT_NOTE || segment.p_filesz == 0)
            continue;
        looked_at++;
        uint64_t size = segment.p_filesz < NOTES_SIZE ? segment.p_filesz : NOTES_SIZE;
        Elf_Type type = segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
        Elf_Data *notes = elf_image_chunk(image, segment.p_offset, size, type, "notes", error);
        if (notes == NULL)
            return false;
        info->build_id = find_build_id(notes);
    }
    return true;
}

bool elf_parse(int fd, const char *bytes, size_t size, struct elf_info *ret_info,
               struct error *error)
{
    AUTO_IMAGE struct elf_image image = {0};
    if (!elf_image_open(fd, bytes, size, &image, error))
        return false;
    struct elf_info info = {
        .bits = image.bits, .machine = image.header.e_machine, .type = image.header.e_type};
    if (!elf_dynamic_read(&image, &info, error) || !read_notes(&image, &info, error)) {
        elf_info_free(&info);
        return false;
    }
    *ret_info = info;
    return true;
}

enum host_status elf_read(const struct host *host, const char *path, struct elf_info *ret_info,
                          struct error *error)
{
    AUTO_CLOSE int fd = -1;
    enum host_status status = host_open(host, path, &fd, error);
    if (status != HOST_OK)
        return status;
    if (elf_parse(fd, NULL, 0, ret_info, error))
        return HOST_OK;
    error_where(error, "%s", path);
    return HOST_FAILED;
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
