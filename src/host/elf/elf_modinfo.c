/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/text.h"
#include "host/elf/elf_image.h"

/* .modinfo of nvidia.ko is some 20 KiB, most of it aliases; the names of all sections are less. */
#define MODINFO_MAX (1024 * 1024)

static const struct {
    const char *magic;
    size_t size;
    const char *how;
} compressions[] = {
    {.magic = "\xfd"
              "7zXZ",
     .size = 5,
     .how = "xz"},
    {.magic = "\x28\xb5\x2f\xfd", .size = 4, .how = "zstd"},
    {.magic = "\x1f\x8b", .size = 2, .how = "gzip"},
};

static bool check_compression(int fd, struct error *error)
{
    char head[8] = {0};
    ssize_t got = pread(fd, head, sizeof(head), 0);
    for (size_t i = 0; got > 0 && i < sizeof(compressions) / sizeof(compressions[0]); i++) {
        if (memcmp(head, compressions[i].magic, compressions[i].size) != 0)
            continue;
        error_set(error, ERROR_DATA, "cannot read a compressed kernel module");
        return error_why(error, "it is compressed with %s", compressions[i].how);
    }
    return true;
}

/* The bytes of a section that has them in the file, as they are; at most MODINFO_MAX. */
static Elf_Data *section_bytes(const struct elf_image *image, const GElf_Shdr *section,
                               const char *what, struct error *error)
{
    if (section->sh_type == SHT_NOBITS || section->sh_size == 0 || section->sh_size > MODINFO_MAX) {
        elf_malformed(error, "%s of %llu bytes", what, (unsigned long long)section->sh_size);
        return NULL;
    }
    return elf_image_chunk(image, section->sh_offset, section->sh_size, ELF_T_BYTE, what, error);
}

static bool named(const Elf_Data *names, const GElf_Shdr *section, const char *name)
{
    size_t size = strlen(name) + 1;
    return section->sh_name < names->d_size && names->d_size - section->sh_name >= size &&
           memcmp((const char *)names->d_buf + section->sh_name, name, size) == 0;
}

static Elf_Data *find_modinfo(const struct elf_image *image, struct error *error)
{
    size_t names_index;
    GElf_Shdr header;
    Elf_Scn *section = NULL;
    if (elf_getshdrstrndx(image->elf, &names_index) == 0)
        section = elf_getscn(image->elf, names_index);
    if (section == NULL || gelf_getshdr(section, &header) == NULL) {
        elf_malformed(error, "no names of sections: %s", elf_errmsg(-1));
        return NULL;
    }
    Elf_Data *names = section_bytes(image, &header, "names of sections", error);
    if (names == NULL)
        return NULL;
    section = NULL;
    while ((section = elf_nextscn(image->elf, section)) != NULL) {
        if (gelf_getshdr(section, &header) != NULL && named(names, &header, ".modinfo"))
            return section_bytes(image, &header, "section .modinfo", error);
    }
    error_set(error, ERROR_DATA, "not a kernel module");
    error_why(error, "it has no section .modinfo");
    return NULL;
}

static void split_fields(const Elf_Data *modinfo, struct strlist *fields)
{
    const char *bytes = modinfo->d_buf;
    for (size_t at = 0; at < modinfo->d_size;) {
        size_t length = strnlen(bytes + at, modinfo->d_size - at);
        if (length > 0)
            strlist_take(fields, mem_string_n(bytes + at, length));
        at += length + 1;
    }
}

static bool read_modinfo(int fd, struct strlist *fields, struct error *error)
{
    AUTO_IMAGE struct elf_image image = {0};
    if (!check_compression(fd, error) || !elf_image_open(fd, NULL, 0, &image, error))
        return false;
    Elf_Data *modinfo = find_modinfo(&image, error);
    if (modinfo == NULL)
        return false;
    split_fields(modinfo, fields);
    return true;
}

enum host_status elf_read_modinfo(const struct host *host, const char *path,
                                  struct strlist *ret_fields, struct error *error)
{
    AUTO_CLOSE int fd = -1;
    enum host_status status = host_open(host, path, &fd, error);
    if (status != HOST_OK)
        return status;
    if (read_modinfo(fd, ret_fields, error))
        return HOST_OK;
    error_where(error, "%s", path);
    return HOST_FAILED;
}
