/* SPDX-License-Identifier: MIT */
#include "host/elf/sealed.h"

#include <string.h>

#include "base/little_endian.h"
#include "elf/header.h"
#include "host/packed/checksum.h"
#include "host/root/byte_file.h"

#define SEAL_SIZE 16u
#define PART      65536u

static const char mark[8] = {'g', 'p', 'u', 'e', 'n', 'v', '\r', '\n'};

/* Whether the section headers, which linkers write last, are beyond the end. */
static bool is_cut(const struct elf_header *header, uint64_t size)
{
    uint64_t sections = (uint64_t)header->section_size * header->section_count;
    return header->sections_at > size || sections > size - header->sections_at;
}

static bool checksum_of(const struct byte_source *file, uint64_t size, uint32_t *ret_checksum,
                        struct error *error)
{
    unsigned char part[PART];
    uint32_t checksum = 0;
    for (uint64_t at = 0; at < size;) {
        size_t count = size - at < PART ? (size_t)(size - at) : PART;
        if (!file->read(file, at, part, count, error))
            return false;
        checksum = checksum_add(checksum, part, count);
        at += count;
    }
    *ret_checksum = checksum;
    return true;
}

static bool check(const struct byte_source *file, enum sealed *ret_sealed, struct error *error)
{
    unsigned char head[ELF_HEAD], seal[SEAL_SIZE];
    struct elf_header header;
    uint32_t checksum = 0;
    if (file->size < ELF_HEAD + SEAL_SIZE)
        return byte_source_malformed(error, "program", file, 0, "it is too short");
    uint64_t size = file->size - SEAL_SIZE;
    if (!file->read(file, 0, head, sizeof(head), error) ||
        !file->read(file, size, seal, sizeof(seal), error))
        return false;
    if (!elf_header_read(head, sizeof(head), &header))
        return byte_source_malformed(error, "program", file, 0,
                                     "the first bytes are not those of an ELF file");
    if (memcmp(seal, mark, sizeof(mark)) != 0) {
        *ret_sealed = is_cut(&header, file->size) ? SEALED_CUT : SEALED_NONE;
        return true;
    }
    if (!checksum_is_known()) {
        *ret_sealed = SEALED_UNKNOWN;
        return true;
    }
    if (!checksum_of(file, size, &checksum, error))
        return false;
    *ret_sealed = load32(seal + 8) == checksum && load32(seal + 12) == (uint32_t)size
                      ? SEALED_WHOLE
                      : SEALED_DAMAGED;
    return true;
}

enum host_status sealed_check(const struct host *host, const char *path, enum sealed *ret_sealed,
                              struct error *error)
{
    AUTO_BYTE_FILE struct byte_source file = BYTE_SOURCE_NONE;
    enum host_status status = byte_file_open(host, path, &file, error);
    if (status != HOST_OK)
        return status;
    if (check(&file, ret_sealed, error))
        return HOST_OK;
    error_where(error, "%s", path);
    return HOST_FAILED;
}
