/* SPDX-License-Identifier: MIT */
#include "host/packages/sqlite_log.h"

#include <string.h>

#include "base/big_endian.h"
#include "base/little_endian.h"

#define LOG_HEAD   32
#define FRAME_HEAD 24
#define MAGIC      0x377f0682u /* checksums of little-endian words; with 1 added: of big-endian */
#define PAGE_MAX   65536u

struct checksum {
    uint32_t a, b;
};

static void sum(struct checksum *checksum, const unsigned char *bytes, size_t size,
                uint32_t (*number)(const unsigned char *))
{
    for (size_t i = 0; i + 8 <= size; i += 8) {
        checksum->a += number(bytes + i) + checksum->b;
        checksum->b += number(bytes + i + 4) + checksum->a;
    }
}

static bool is_sum(const struct checksum *checksum, const unsigned char *bytes)
{
    return checksum->a == load32_big(bytes) && checksum->b == load32_big(bytes + 4);
}

/* By page, and the last frame of a page first. */
static int compare_frames(const void *a, const void *b)
{
    const struct sqlite_frame *one = a;
    const struct sqlite_frame *two = b;
    if (one->page != two->page)
        return one->page < two->page ? -1 : 1;
    return (one->index < two->index) - (one->index > two->index);
}

static void keep_last_frames(struct sqlite_log *log, size_t committed)
{
    size_t kept = 0;
    if (committed > 0)
        qsort(log->frames, committed, sizeof(*log->frames), compare_frames);
    for (size_t i = 0; i < committed; i++)
        if (kept == 0 || log->frames[kept - 1].page != log->frames[i].page)
            log->frames[kept++] = log->frames[i];
    log->count = kept;
}

/* Reads frames while they are valid; how many of them are committed is returned. */
static bool read_frames(struct sqlite_log *log, const unsigned char *head, struct checksum checksum,
                        uint32_t (*number)(const unsigned char *), size_t *ret_committed,
                        struct error *error)
{
    size_t capacity = 0, size = FRAME_HEAD + (size_t)log->page_size;
    AUTO_FREE unsigned char *frame = mem_alloc(size);
    uint64_t left = log->source->size - LOG_HEAD;
    *ret_committed = 0;
    for (uint32_t i = 0; left >= size; i++, left -= size) {
        uint64_t offset = LOG_HEAD + (uint64_t)i * size;
        if (!byte_source_read(log->source, offset, frame, size, "frame", error))
            return false;
        if (memcmp(frame + 8, head + 16, 8) != 0) /* salts: left over from an earlier log */
            break;
        sum(&checksum, frame, 8, number);
        sum(&checksum, frame + FRAME_HEAD, log->page_size, number);
        if (!is_sum(&checksum, frame + 16) || load32_big(frame) == 0)
            break;
        *vec_push(log->frames, log->count, capacity) =
            (struct sqlite_frame){.page = load32_big(frame), .index = i};
        uint32_t pages = load32_big(frame + 4);
        if (pages == 0)
            continue;
        log->pages = pages;
        *ret_committed = log->count;
    }
    return true;
}

bool sqlite_log_open(const struct byte_source *source, struct sqlite_log *ret_log,
                     struct error *error)
{
    unsigned char head[LOG_HEAD];
    AUTO_SQLITE_LOG struct sqlite_log log = {.source = source};
    struct checksum checksum = {0, 0};
    size_t committed;
    *ret_log = log;
    if (source->size < LOG_HEAD)
        return true;
    if (source->size > SQLITE_LOG_MAX)
        return byte_source_malformed(error, "write-ahead log", source, 0, "it is too long");
    if (!byte_source_read(source, 0, head, sizeof(head), "log", error))
        return false;
    uint32_t magic = load32_big(head);
    uint32_t (*number)(const unsigned char *) = magic & 1 ? load32_big : load32;
    log.page_size = load32_big(head + 8);
    sum(&checksum, head, 24, number);
    if ((magic & ~1u) != MAGIC || !is_sum(&checksum, head + 24) || log.page_size < 512 ||
        log.page_size > PAGE_MAX || (log.page_size & (log.page_size - 1)) != 0)
        return true; /* as SQLite: a log that was not begun */
    if (!read_frames(&log, head, checksum, number, &committed, error))
        return false;
    keep_last_frames(&log, committed);
    *ret_log = log;
    log.frames = NULL;
    return true;
}

void sqlite_log_close(struct sqlite_log *log)
{
    free(log->frames);
    log->frames = NULL;
}

bool sqlite_log_find(const struct sqlite_log *log, uint32_t page, uint64_t *ret_offset)
{
    size_t low = 0, high = log->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (log->frames[middle].page == page) {
            *ret_offset = LOG_HEAD + FRAME_HEAD +
                          (uint64_t)log->frames[middle].index * (FRAME_HEAD + log->page_size);
            return true;
        }
        if (log->frames[middle].page < page)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}
