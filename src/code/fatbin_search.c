/* SPDX-License-Identifier: MIT */
#include "base/little_endian.h"
#include "code/fatbin.h"

#include <string.h>

/* How a fat binary in data is found: compilers put arrays of 64-bit numbers at multiples of 8. */
#define STEP 8u

/* The first eight bytes of every fat binary: magic, version 1, a header of 16 bytes. */
static const unsigned char first_bytes[STEP] = {0x50, 0xED, 0x55, 0xBA, 1, 0, 16, 0};

struct search {
    struct reading *reading;
    const struct fatbin_place *place;
    uint64_t offset;
    uint64_t last; /* where the last fat binary ended, or the place begins */
    bool found;    /* there was one */
};

/* The offset in bytes of the first step that begins as a fat binary does; size when none does. */
static size_t find_step(const unsigned char *bytes, size_t size)
{
    uint64_t wanted;
    memcpy(&wanted, first_bytes, sizeof(wanted));
    size_t i = 0;
    for (; i + 8 * STEP <= size; i += 8 * STEP) {
        uint64_t words[8];
        memcpy(words, bytes + i, sizeof(words));
        unsigned hits = 0;
        for (size_t k = 0; k < 8; k++)
            hits |= words[k] == wanted;
        if (hits != 0)
            break;
    }
    for (; i + STEP <= size; i += STEP)
        if (memcmp(bytes + i, first_bytes, STEP) == 0)
            return i;
    return size;
}

/* Whether what begins as a fat binary at search->offset goes on as one: an entry that fits in it.
 */
static bool is_region(const struct search *search)
{
    const struct fatbin_place *place = search->place;
    uint64_t left = place->end - search->offset;
    if (left < FATBIN_HEADER_SIZE + FATBIN_ENTRY_SIZE)
        return false;
    const unsigned char *bytes = byte_window_at(
        search->reading->window, place->source, search->offset,
        FATBIN_HEADER_SIZE + FATBIN_ENTRY_SIZE, BYTE_WINDOW_SIZE, "a fat binary", NULL);
    if (bytes == NULL)
        return false;
    uint64_t size = load64(bytes + 8);
    const unsigned char *entry = bytes + FATBIN_HEADER_SIZE;
    return size <= left - FATBIN_HEADER_SIZE && size >= FATBIN_ENTRY_SIZE &&
           load16(entry + 2) >> 8 == 1 && load32(entry + 4) >= FATBIN_ENTRY_SIZE &&
           load32(entry + 4) <= size && load64(entry + 8) <= size - load32(entry + 4);
}

static bool is_over(const struct search *search)
{
    if (search->place->end - search->offset < FATBIN_HEADER_SIZE)
        return true;
    uint64_t limit = search->found ? SEARCH_NEXT : SEARCH_FIRST;
    return !search->reading->whole && search->offset - search->last >= limit;
}

/* Lists the fat binary at search->offset and goes behind it. */
static bool take_region(struct search *search, struct error *error)
{
    struct fatbin_place region = *search->place;
    region.start = search->offset;
    if (!fatbin_walk_one(search->reading, &region, &search->offset, error))
        return false;
    search->offset = (search->offset + STEP - 1) & ~(uint64_t)(STEP - 1);
    search->last = search->offset;
    search->found = true;
    return true;
}

/* How many bytes to look at next: what is at hand, else little behind a fat binary, where another
 * one often follows, and more the longer none does. */
static size_t next_size(const struct search *search)
{
    uint64_t left = search->place->end - search->offset;
    uint64_t size =
        byte_window_left(search->reading->window, search->place->source, search->offset);
    if (size < STEP) {
        size = search->offset - search->last;
        size = size < 256 ? 256 : size > BYTE_WINDOW_SIZE ? BYTE_WINDOW_SIZE : size;
    }
    return (size_t)(size < left ? size : left) & ~(size_t)(STEP - 1);
}

bool fatbin_search(struct reading *reading, const struct fatbin_place *place, struct error *error)
{
    struct search search = {.reading = reading, .place = place};
    search.offset = (place->start + STEP - 1) & ~(uint64_t)(STEP - 1);
    search.last = search.offset;
    if (search.offset >= place->end)
        return true;
    while (!is_over(&search)) {
        size_t size = next_size(&search);
        const unsigned char *bytes = byte_window_at(reading->window, place->source, search.offset,
                                                    size, size, "data", error);
        if (bytes == NULL)
            return false;
        size_t step = find_step(bytes, size);
        search.offset += step;
        if (step == size)
            continue;
        if (!is_region(&search))
            search.offset += STEP;
        else if (!take_region(&search, error))
            return false;
    }
    if (search.offset < place->end && place->end - search.offset >= FATBIN_HEADER_SIZE)
        reading->listing->unsearched += place->end - search.offset;
    return true;
}
