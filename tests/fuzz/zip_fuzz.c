/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "code/zip.h"

#define MEMBERS       64u
#define BYTES         40u
#define SIZE_MAX_READ (1u << 20)

/* A refusal says where and why. */
static void expect_reason(const struct error *error)
{
    if (error->kind != ERROR_DATA || error->why == NULL || !string_starts(error->why, "offset 0x"))
        abort();
}

static bool read_at(const struct zip_bytes *bytes, uint64_t at, unsigned char buffer[static BYTES])
{
    AUTO_ERROR struct error error = {.kind = ERROR_NONE};
    if (byte_source_read(&bytes->source, at, buffer, BYTES, "it", &error))
        return true;
    expect_reason(&error);
    return false;
}

/* The same bytes whatever was read before. */
static void read_member(const struct zip_bytes *bytes)
{
    unsigned char first[BYTES], last[BYTES], again[BYTES];
    uint64_t size = bytes->source.size;
    if (size < BYTES || size > SIZE_MAX_READ)
        return;
    bool head = read_at(bytes, 0, first), tail = read_at(bytes, size - BYTES, last);
    if (tail && !head)
        abort();
    if (head && (!read_at(bytes, 0, again) || memcmp(first, again, BYTES) != 0))
        abort();
    if (tail && (!read_at(bytes, size - BYTES, again) || memcmp(last, again, BYTES) != 0))
        abort();
}

static void check_member(const struct zip *zip, const struct zip_member *member)
{
    AUTO_ZIP_BYTES struct zip_bytes bytes = {.stream = NULL};
    AUTO_ERROR struct error error = {.kind = ERROR_NONE};
    if (member->name_size == 0 || member->end > zip->source.size ||
        member->header_at > member->end || member->packed > member->end - member->header_at ||
        member->header_at < zip->ahead)
        abort();
    if (!zip_member_open(zip, member, &bytes, &error)) {
        expect_reason(&error);
        return;
    }
    if (bytes.source.size != member->size)
        abort();
    read_member(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ZIP struct zip zip = {.count = 0};
    AUTO_ERROR struct error error = {.kind = ERROR_NONE};
    struct byte_source source = byte_source_memory(data, size);
    if (!zip_open(&source, &zip, &error)) {
        expect_reason(&error);
        if (zip.members != NULL)
            abort();
        return 0;
    }
    for (size_t i = 0; i < zip.count && i < MEMBERS; i++)
        check_member(&zip, &zip.members[i]);
    return 0;
}
