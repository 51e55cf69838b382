/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_UNPACK_UNPACK_EXTRACTION_H
#define INSTALL_UNPACK_UNPACK_EXTRACTION_H

#include "install/unpack/unpack_private.h"

/* Private to unpack_extract.c, which takes one member, and unpack_members.c, which goes through
 * them. */
struct extraction {
    const struct unpack_job *job;
    struct unpack_stream *stream;
    struct unpack_table *table;
    struct unpack_writer writer;
    uint64_t members, bytes; /* so far */
    unsigned nested;         /* runfiles inside that were unpacked */
    bool is_nested;          /* the members are those of one */
    struct error *error;
};

/* One member, to lie at path; NULL or "": it is the tree itself. */
bool extraction_take(struct extraction *run, const struct unpack_header *header, const char *path);
/* Bytes are counted as a header says them, before the first one is written. */
bool extraction_count(struct extraction *run, const struct unpack_header *header, uint64_t size);
bool extraction_refuse_count(const struct extraction *run, const char *name);
/* The next bytes of a member, not before from. */
bool extraction_block(struct extraction *run, const struct unpack_header *header, uint64_t from,
                      struct unpack_block *block);
bool extraction_refuse_block(const struct extraction *run, const struct unpack_header *header);

#endif
