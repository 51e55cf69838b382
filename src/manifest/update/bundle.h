/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_UPDATE_BUNDLE_H
#define MANIFEST_UPDATE_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>

#include "manifest/reader/problems.h"

struct error;
struct text;

/* A signed update as one file: what is kept on a machine, and what carries an update to a machine
 * without a network (docs/reference/manifest-update.md). Each part has its size before it, so that
 * nothing of it need be parsed to find the others. */
#define UPDATE_ROOTS_MAX     (256u << 10)
#define UPDATE_STATEMENT_MAX (64u << 10)
#define UPDATE_BUNDLE_MAX    (MANIFEST_MAX + UPDATE_ROOTS_MAX + UPDATE_STATEMENT_MAX + 256u)

struct update_part {
    const char *text; /* within the bundle; NULL: it has none */
    size_t size;
};
struct update_bundle {
    struct update_part reader; /* manifest_reader() of the gpuenv that has checked the manifest, for
                                  itself: nothing that comes from elsewhere; NULL: none has */
    struct update_part roots;  /* always there */
    struct update_part statement; /* both or none of these */
    struct update_part manifest;
};
#define UPDATE_READER_SIZE 64

/* The parts of a bundle, which lie in text. ERROR_DATA for anything else: what follows the last
 * part, a part that is cut, one that is larger than it may be, a checksum (CRC-32, at the end) that
 * is not the one of the bytes: it finds damage, not malice. name is what errors call it. */
bool update_bundle_parse(const char *text, size_t size, const char *name,
                         struct update_bundle *ret_bundle, struct error *error);
/* Whether it names that reader. */
bool update_bundle_was_checked(const struct update_bundle *bundle, const char *reader);
void update_bundle_append(const struct update_bundle *bundle, struct text *output);

#endif
