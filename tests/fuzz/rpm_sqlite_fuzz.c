/* SPDX-License-Identifier: MIT */
/* A database, and behind the pages that its head counts its write-ahead log, whose checksums are
 * made right: no input would get past them. */
#include "fuzz.h"

#include "base/big_endian.h"
#include "base/little_endian.h"
#include "rpm_each.h"

#define LOG_HEAD   32
#define FRAME_HEAD 24

static void store_big(unsigned char *bytes, uint32_t number)
{
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(number >> (24 - 8 * i));
}

static void sum(uint32_t *sums, const unsigned char *bytes, size_t size, bool big)
{
    for (size_t i = 0; i + 8 <= size; i += 8) {
        sums[0] += (big ? load32_big : load32)(bytes + i) + sums[1];
        sums[1] += (big ? load32_big : load32)(bytes + i + 4) + sums[0];
    }
}

static void store_sums(unsigned char *bytes, const uint32_t *sums)
{
    store_big(bytes, sums[0]);
    store_big(bytes + 4, sums[1]);
}

static void seal(unsigned char *log, size_t size)
{
    uint32_t sums[2] = {0, 0};
    if (size < LOG_HEAD)
        return;
    uint64_t page = load32_big(log + 8);
    bool big = log[3] & 1;
    sum(sums, log, 24, big);
    store_sums(log + 24, sums);
    for (uint64_t at = LOG_HEAD; size - at >= FRAME_HEAD && page <= size - at - FRAME_HEAD;
         at += FRAME_HEAD + page) {
        memcpy(log + at + 8, log + 16, 8);
        sum(sums, log + at, 8, big);
        sum(sums, log + at + FRAME_HEAD, (size_t)page, big);
        store_sums(log + at + 16, sums);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_FREE unsigned char *bytes = mem_alloc(size + 1);
    struct error error = {.kind = ERROR_NONE};
    size_t headers = 0, end = size;
    memcpy(bytes, data, size);
    if (size >= 32) {
        uint64_t pages = load32_big(bytes + 28), page = load16_big(bytes + 16);
        end = pages * page < size ? (size_t)(pages * page) : size;
    }
    seal(bytes + end, size - end);
    struct byte_source file = byte_source_memory(bytes, end);
    struct byte_source log = byte_source_memory(bytes + end, size - end);
    rpm_each_end(rpm_sqlite_each(&file, &log, rpm_each_header, &headers, &error), &error);
    return 0;
}
