/* SPDX-License-Identifier: MIT */
#ifndef HOST_ELF_ELF_IMAGE_H
#define HOST_ELF_ELF_IMAGE_H

/* Private to host/elf*.c: an ELF file as libelf sees it, of which only pieces are read. */
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "host/elf/elf.h"

struct elf_image {
    Elf *elf;
    char *copy;    /* of the bytes, when they came from memory */
    uint64_t size; /* of the file */
    unsigned bits;
    GElf_Ehdr header;
};

#define AUTO_IMAGE AUTO(elf_image_close)

/* Opens the file behind fd, or, when fd is below 0, the bytes. The header, the program headers
 * and every segment are checked to lie within the file. fd stays open and the caller's. */
bool elf_image_open(int fd, const char *bytes, size_t size, struct elf_image *ret_image,
                    struct error *error);
void elf_image_close(struct elf_image *image);

/* Program header number index; false at the end. */
bool elf_image_segment(const struct elf_image *image, size_t index, GElf_Phdr *ret_segment);

/* Where the file holds what is loaded at address, and how many bytes of that segment follow. */
bool elf_image_locate(const struct elf_image *image, uint64_t address, uint64_t *ret_offset,
                      uint64_t *ret_left);

/* size bytes at offset, in the machine's byte order when type is one of libelf's structures. They
 * belong to the image. what names them in the error. */
Elf_Data *elf_image_chunk(const struct elf_image *image, uint64_t offset, uint64_t size,
                          Elf_Type type, const char *what, struct error *error);

/* Fills error with ERROR_DATA "not a valid ELF file" and the reason; returns false. */
bool elf_malformed(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Fills info from the dynamic section: names, paths and versions. */
bool elf_dynamic_read(const struct elf_image *image, struct elf_info *info, struct error *error);

/* All that elf_read() does, behind the file: from fd, or, when it is below 0, from bytes. */
bool elf_parse(int fd, const char *bytes, size_t size, struct elf_info *ret_info,
               struct error *error);

#endif
