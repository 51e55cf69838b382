/* SPDX-License-Identifier: MIT */
#include "base/little_endian.h"
#include "code/zip_private.h"

#include <string.h>

#define EXTRA_64 1u
#define FULL_32  0xffffffffu

/* What a directory is read into. */
struct reader {
    struct zip *zip;
    struct zip_end end;
    uint64_t at; /* of the next record, within the directory */
    struct error *error;
};

/* The 64-bit values of those that are full, in this order and without the others. */
static bool read_extra(const unsigned char *extra, size_t size, uint64_t *const values[3])
{
    while (size >= 4) {
        unsigned id = load16(extra), length = load16(extra + 2);
        if (length > size - 4)
            return false;
        extra += 4;
        size -= 4;
        for (size_t i = 0; id == EXTRA_64 && i < 3; i++) {
            if (*values[i] != FULL_32)
                continue;
            if (length < 8)
                return false;
            *values[i] = load64(extra);
            extra += 8;
            size -= 8;
            length -= 8;
        }
        if (id == EXTRA_64)
            return true;
        extra += length;
        size -= length;
    }
    return true;
}

/* The most that deflate makes of a byte, and a few for the end. */
static bool is_possible(const struct zip_member *member)
{
    if (member->method == ZIP_STORED)
        return member->size == member->packed;
    return member->method != ZIP_DEFLATED || member->size / 1032 <= member->packed;
}

static bool check_member(const struct reader *reader, const struct zip_member *member)
{
    uint64_t room = reader->end.at;
    uint64_t least = ZIP_LOCAL_SIZE + member->name_size;
    if (member->name_size == 0 || memchr(member->name, '\0', member->name_size))
        return zip_refuse(reader->error, member->record_at, "a member without a valid name");
    if (!is_possible(member))
        return zip_refuse(reader->error, member->record_at,
                          "%llu packed bytes cannot unpack to the stated %llu bytes",
                          (unsigned long long)member->packed, (unsigned long long)member->size);
    if (member->header_at > room || least > room - member->header_at ||
        member->packed > room - member->header_at - least)
        return zip_refuse(reader->error, member->record_at,
                          "the member would be outside the archive");
    return true;
}

static bool read_record(struct reader *reader, struct zip_member *member)
{
    const unsigned char *record = (const unsigned char *)reader->zip->directory + reader->at;
    uint64_t left = reader->end.size - reader->at, at = reader->end.at + reader->at;
    if (left < ZIP_CENTRAL_SIZE || load32(record) != ZIP_CENTRAL)
        return zip_refuse(reader->error, at, "this is not a member record");
    size_t name = load16(record + 28), extra = load16(record + 30), tail = load16(record + 32);
    if (name + extra + tail > left - ZIP_CENTRAL_SIZE)
        return zip_refuse(reader->error, at, "a record longer than the directory");
    unsigned flags = load16(record + 8), disk = load16(record + 34);
    if ((flags & ZIP_MASKED) != 0)
        return zip_refuse(reader->error, at, "its directory is encrypted");
    if (disk != 0 && disk != 0xffffu)
        return zip_refuse(reader->error, at, "the archive is split into several files");
    *member = (struct zip_member){
        .name = (const char *)record + ZIP_CENTRAL_SIZE,
        .name_size = name,
        .method = load16(record + 10),
        .encrypted = (flags & ZIP_ENCRYPTED) != 0,
        .packed = load32(record + 20),
        .size = load32(record + 24),
        .header_at = load32(record + 42),
        .record_at = at,
    };
    uint64_t *const values[] = {&member->size, &member->packed, &member->header_at};
    if (!read_extra(record + ZIP_CENTRAL_SIZE + name, extra, values))
        return zip_refuse(reader->error, at, "the extra fields do not fit into the record");
    if (member->header_at > reader->end.at - reader->end.ahead)
        return zip_refuse(reader->error, at, "the member would be outside the archive");
    member->header_at += reader->end.ahead;
    reader->at += ZIP_CENTRAL_SIZE + name + extra + tail;
    return check_member(reader, member);
}

/* A member in another order than that of the directory. */
struct sorted {
    struct zip_member *member;
};

static int by_place(const void *a, const void *b)
{
    const struct zip_member *left = ((const struct sorted *)a)->member;
    const struct zip_member *right = ((const struct sorted *)b)->member;
    if (left->header_at != right->header_at)
        return left->header_at < right->header_at ? -1 : 1;
    return left->record_at < right->record_at ? -1 : 1;
}

static int compare_names(const struct zip_member *a, const struct zip_member *b)
{
    size_t least = a->name_size < b->name_size ? a->name_size : b->name_size;
    int order = memcmp(a->name, b->name, least);
    if (order != 0)
        return order;
    return a->name_size == b->name_size ? 0 : a->name_size < b->name_size ? -1 : 1;
}

static int by_name(const void *a, const void *b)
{
    const struct zip_member *left = ((const struct sorted *)a)->member;
    const struct zip_member *right = ((const struct sorted *)b)->member;
    int order = compare_names(left, right);
    if (order != 0)
        return order;
    return left->record_at < right->record_at ? -1 : 1;
}

/* Sets where each ends. Bytes that two members share would be read twice: an archive of a few bytes
 * could unpack to anything. */
static bool place_members(struct reader *reader, struct sorted *sorted)
{
    struct zip *zip = reader->zip;
    qsort(sorted, zip->count, sizeof(*sorted), by_place);
    for (size_t i = 0; i < zip->count; i++) {
        struct zip_member *member = sorted[i].member;
        member->end = i + 1 < zip->count ? sorted[i + 1].member->header_at : reader->end.at;
        if (member->end - member->header_at < ZIP_LOCAL_SIZE + member->name_size + member->packed)
            return zip_refuse(reader->error, member->record_at,
                              "the member overlaps with another one");
    }
    return true;
}

static void find_twins(struct zip *zip, struct sorted *sorted)
{
    qsort(sorted, zip->count, sizeof(*sorted), by_name);
    for (size_t i = 1; i < zip->count; i++)
        if (compare_names(sorted[i - 1].member, sorted[i].member) == 0) {
            sorted[i].member->twin = true;
            zip->twins++;
        }
}

static bool read_directory(struct reader *reader)
{
    struct zip *zip = reader->zip;
    const struct zip_end *end = &reader->end;
    if (end->size > ZIP_DIRECTORY_MAX)
        return zip_refuse(reader->error, end->at, "a directory of %llu bytes; the limit is %u",
                          (unsigned long long)end->size, ZIP_DIRECTORY_MAX);
    zip->directory = mem_alloc((size_t)end->size + 1);
    zip->count = (size_t)end->count;
    zip->members = mem_resize(NULL, zip->count + 1, sizeof(*zip->members));
    if (!byte_source_read(&zip->source, end->at, zip->directory, (size_t)end->size, "the directory",
                          reader->error))
        return false;
    for (size_t i = 0; i < zip->count; i++)
        if (!read_record(reader, &zip->members[i]))
            return false;
    if (reader->at != end->size)
        return zip_refuse(reader->error, end->at + reader->at,
                          "extra data after the last record of the directory");
    AUTO_FREE struct sorted *sorted = mem_resize(NULL, zip->count + 1, sizeof(*sorted));
    for (size_t i = 0; i < zip->count; i++)
        sorted[i].member = &zip->members[i];
    if (!place_members(reader, sorted))
        return false;
    find_twins(zip, sorted);
    return true;
}

bool zip_open(const struct byte_source *source, struct zip *ret_zip, struct error *error)
{
    struct zip zip = {.source = *source};
    struct reader reader = {.zip = &zip, .error = error};
    if (!zip_find_end(source, &reader.end, error))
        return false;
    zip.ahead = reader.end.ahead;
    if (!read_directory(&reader)) {
        zip_close(&zip);
        return false;
    }
    *ret_zip = zip;
    return true;
}

void zip_close(struct zip *zip)
{
    free(zip->members);
    free(zip->directory);
    *zip = (struct zip){.members = NULL};
}
