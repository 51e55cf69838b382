/* SPDX-License-Identifier: MIT */
#ifndef CODE_FATBIN_H
#define CODE_FATBIN_H

/* Private to code/: fat binaries, as they lie in .fatbin files, in the sections that nvcc makes and
 * in data. The layout and its sources are in docs/background/code.md. */
#include "code/reading.h"

struct error;

#define FATBIN_MAGIC       0xBA55ED50u
#define FATBIN_MAGIC_OLD   0x1EE55A01u /* before CUDA 4; no longer generated */
#define FATBIN_HEADER_SIZE 16u         /* of a region */
#define FATBIN_ENTRY_SIZE  64u         /* the least that the header of an entry has */

/* A run of bytes that holds fat binaries. */
struct fatbin_place {
    const struct byte_source *source;
    uint64_t start, end;
    bool relocatable, embedded; /* of the entries that are listed */
};

/* Lists every fat binary from start to end: one behind the other, with nothing between them but
 * padding of zeros, of which a file has FATBIN_PADDING_MAX bytes at most. */
#define FATBIN_PADDING_MAX (4ull << 30)
bool fatbin_walk(struct reading *reading, const struct fatbin_place *place, struct error *error);

/* Lists the one fat binary at place->start, whose magic was seen. *ret_next: where it ends. */
bool fatbin_walk_one(struct reading *reading, const struct fatbin_place *place, uint64_t *ret_next,
                     struct error *error);

/* The same for data, of which fat binaries are a part: what looks like one is one, and must be
 * whole. Unless reading->whole the search ends when SEARCH_FIRST bytes held none, or SEARCH_NEXT
 * behind the last; what is left is added to listing->unsearched. */
#define SEARCH_FIRST (4u << 20)
#define SEARCH_NEXT  (16u << 20)
bool fatbin_search(struct reading *reading, const struct fatbin_place *place, struct error *error);

#endif
