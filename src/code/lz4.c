/* SPDX-License-Identifier: MIT */
#include "code/lz4.h"

#include <stdbool.h>
#include <string.h>

#include "base/little_endian.h"

#define MATCH_MIN 4u
#define LONG      15u /* a length that goes on in the bytes behind */

struct run {
    const unsigned char *packed;
    size_t size, at;
    unsigned char *buffer;
    size_t room, written;
};

/* The whole of a length that a token begins with; false: the bytes end in it. */
static bool take_length(struct run *run, size_t *length)
{
    if (*length < LONG)
        return true;
    unsigned char next;
    do {
        if (run->at == run->size)
            return false;
        next = run->packed[run->at++];
        *length += next;
    } while (next == 255);
    return true;
}

static size_t less(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* False: the bytes or the room end in it. */
static bool copy_literals(struct run *run, size_t length)
{
    size_t count = less(length, less(run->size - run->at, run->room - run->written));
    memcpy(run->buffer + run->written, run->packed + run->at, count);
    run->at += count;
    run->written += count;
    return count == length;
}

static bool copy_match(struct run *run, size_t length)
{
    if (run->size - run->at < 2)
        return false;
    size_t back = load16(run->packed + run->at);
    run->at += 2;
    if (back == 0 || back > run->written || !take_length(run, &length))
        return false;
    length += MATCH_MIN;
    size_t count = less(length, run->room - run->written);
    for (size_t i = 0; i < count; i++, run->written++)
        run->buffer[run->written] = run->buffer[run->written - back];
    return count == length;
}

size_t lz4_unpack(const unsigned char *packed, size_t size, unsigned char *buffer, size_t room)
{
    struct run run = {.packed = packed, .size = size, .room = room};
    run.buffer = buffer;
    while (run.at < run.size && run.written < run.room) {
        unsigned token = run.packed[run.at++];
        size_t literals = token >> 4;
        if (!take_length(&run, &literals) || !copy_literals(&run, literals) ||
            !copy_match(&run, token & 15))
            break;
    }
    return run.written;
}
