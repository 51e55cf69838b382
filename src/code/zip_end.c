/* SPDX-License-Identifier: MIT */
#include "base/little_endian.h"
#include "code/zip_private.h"

#include <stdarg.h>

#define COMMENT_MAX 65535u
#define FULL_16     0xffffu
#define FULL_32     0xffffffffu

bool zip_refuse(struct error *error, uint64_t at, const char *format, ...)
{
    AUTO_TEXT struct text why = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&why, format, arguments);
    va_end(arguments);
    error_set(error, ERROR_DATA, "not a sound zip archive");
    return error_why(error, "offset 0x%llx: %s", (unsigned long long)at, text_string(&why));
}

/* The record at the end, with or without a comment behind it. Two that fit would make two archives
 * of one file. */
static bool find_record(const struct byte_source *source, uint64_t *ret_at, struct error *error)
{
    uint64_t most = ZIP_END_SIZE + COMMENT_MAX;
    size_t size = (size_t)(source->size < most ? source->size : most);
    uint64_t start = source->size - size;
    AUTO_FREE unsigned char *tail = mem_alloc(size + 1);
    bool found = false;
    if (size < ZIP_END_SIZE)
        return zip_refuse(error, 0, "the file is too short for an archive");
    if (!byte_source_read(source, start, tail, size, "the end of the archive", error))
        return false;
    for (size_t i = size - ZIP_END_SIZE + 1; i > 0; i--) {
        const unsigned char *record = tail + i - 1;
        if (load32(record) != ZIP_END || i - 1 + ZIP_END_SIZE + load16(record + 20) != size)
            continue;
        if (found)
            return zip_refuse(error, start + i - 1, "there are two possible end records");
        *ret_at = start + i - 1;
        found = true;
    }
    return found ||
           zip_refuse(error, start, "there is no end record of a directory after this offset");
}

/* What is full in the short record is in the long one; what is not must be the same in both. */
static bool agrees(uint64_t small, uint64_t full, uint64_t large)
{
    return small == full || small == large;
}

/* The long record, which the locator in front of the short one leads to. A program in front of the
 * archive shifts it: then it is right in front of the locator. */
static bool find_long(const struct byte_source *source, uint64_t locator_at,
                      const unsigned char *locator, uint64_t *ret_at,
                      unsigned char record[static ZIP_END_64_SIZE], struct error *error)
{
    uint64_t stated = load64(locator + 8);
    const uint64_t places[] = {stated, locator_at - ZIP_END_64_SIZE};
    if (load32(locator + 4) != 0 || load32(locator + 16) > 1)
        return zip_refuse(error, locator_at, "the archive is split into several files");
    for (size_t i = 0; i < 2; i++) {
        uint64_t at = places[i];
        if (locator_at < ZIP_END_64_SIZE || at > locator_at - ZIP_END_64_SIZE)
            continue;
        if (!byte_source_read(source, at, record, ZIP_END_64_SIZE, "the end of the directory",
                              error))
            return false;
        *ret_at = at;
        if (load32(record) == ZIP_END_64)
            return true;
    }
    return zip_refuse(error, locator_at, "there is no zip64 record at the offset in this record");
}

static bool read_long(const struct byte_source *source, uint64_t end_at,
                      const unsigned char *record, struct zip_end *end, uint64_t *ret_offset,
                      uint64_t *ret_end, struct error *error)
{
    unsigned char locator[ZIP_LOCATOR_SIZE] = {0}, large[ZIP_END_64_SIZE] = {0};
    uint64_t at = 0;
    if (end_at < ZIP_LOCATOR_SIZE)
        return true;
    uint64_t locator_at = end_at - ZIP_LOCATOR_SIZE;
    if (!byte_source_read(source, locator_at, locator, sizeof(locator), "the locator", error))
        return false;
    if (load32(locator) != ZIP_LOCATOR)
        return true;
    if (!find_long(source, locator_at, locator, &at, large, error))
        return false;
    if (load32(large + 16) != 0 || load32(large + 20) != 0 ||
        load64(large + 24) != load64(large + 32))
        return zip_refuse(error, at, "the archive is split into several files");
    if (!agrees(load16(record + 10), FULL_16, load64(large + 32)) ||
        !agrees(load32(record + 12), FULL_32, load64(large + 40)) ||
        !agrees(load32(record + 16), FULL_32, load64(large + 48)))
        return zip_refuse(error, at, "the two records at the end do not match");
    end->count = load64(large + 32);
    end->size = load64(large + 40);
    *ret_offset = load64(large + 48);
    *ret_end = at;
    return true;
}

bool zip_find_end(const struct byte_source *source, struct zip_end *ret_end, struct error *error)
{
    unsigned char record[ZIP_END_SIZE] = {0};
    uint64_t at = 0;
    if (!find_record(source, &at, error) ||
        !byte_source_read(source, at, record, sizeof(record), "the end of the directory", error))
        return false;
    bool disks = (load16(record + 4) != 0 && load16(record + 4) != FULL_16) ||
                 (load16(record + 6) != 0 && load16(record + 6) != FULL_16) ||
                 load16(record + 8) != load16(record + 10);
    if (disks)
        return zip_refuse(error, at, "the archive is split into several files");
    struct zip_end end = {.count = load16(record + 10), .size = load32(record + 12)};
    uint64_t offset = load32(record + 16), directory_end = at;
    if (!read_long(source, at, record, &end, &offset, &directory_end, error))
        return false;
    if (end.size > directory_end || offset > directory_end - end.size)
        return zip_refuse(error, at, "the directory would be outside the file");
    end.at = directory_end - end.size;
    end.ahead = end.at - offset;
    if (end.count > end.size / ZIP_CENTRAL_SIZE)
        return zip_refuse(error, at, "%llu members do not fit into a directory of %llu bytes",
                          (unsigned long long)end.count, (unsigned long long)end.size);
    *ret_end = end;
    return true;
}
