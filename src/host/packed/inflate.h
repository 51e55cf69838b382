/* SPDX-License-Identifier: MIT */
#ifndef HOST_PACKED_INFLATE_H
#define HOST_PACKED_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A deflated run of bytes (RFC 1951, as members of a zip archive are) that is read as if it were
 * not packed. It is unpacked forwards, never kept, and nothing is written; the state of the
 * unpacking is kept at some places on the way, so that a step back costs no more than the way from
 * the place before. Memory is bounded whatever its size: INFLATE_PLACES states of about 40 KiB. */
#define INFLATE_PLACES 64

struct inflater;

/* Where the packed bytes are from: all of size bytes at at, or false. */
struct inflate_input {
    bool (*read)(void *context, uint64_t at, void *buffer, size_t size);
    void *context;
    uint64_t at;     /* of the first packed byte */
    uint64_t packed; /* how many there are */
};

/* Whether this build can unpack: the library is linked in where the distribution has it as an
 * archive (cmake/dependencies.cmake). */
bool inflate_is_known(void);

/* input is copied. Never NULL; inflater_free() it. */
struct inflater *inflater_new(const struct inflate_input *input);
void inflater_free(struct inflater *run);

/* The unpacked bytes at at. NULL, or why there are not so many: a clause. */
const char *inflater_read(struct inflater *run, uint64_t at, void *buffer, size_t size);

/* How many bytes it has unpacked so far, those unpacked again counted again. */
uint64_t inflater_work(const struct inflater *run);

#endif
