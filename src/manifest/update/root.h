/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_UPDATE_ROOT_H
#define MANIFEST_UPDATE_ROOT_H

#include "manifest/update/signed.h"

struct strlist;

/* Which keys are trusted: those that may name the next root, and those that sign manifests. */
struct update_role {
    struct update_key keys[UPDATE_KEYS_MAX]; /* each once */
    size_t key_count;
    unsigned threshold; /* so many of them must have signed: from 1 to key_count */
};
struct update_root {
    unsigned version;
    int64_t expires;
    struct update_role root, manifest;
};

/* Reads what was signed. ERROR_DATA where it is not a root. */
bool update_root_read(const struct update_signed *document, const char *name,
                      struct update_root *ret_root, struct error *error);

/* The documents of a list of roots, [{…}, {…}], as they stand in text, oldest first. ERROR_DATA
 * where it is no such list. */
bool update_roots_split(const char *text, size_t size, const char *name, struct strlist *documents,
                        struct error *error);

#endif
