/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_UPDATE_SOURCE_H
#define INSTALL_UPDATE_SOURCE_H

#include "base/text.h"
#include "install/cache/cache.h"
#include "install/fetch/mirror.h"
#include "manifest/update/bundle.h"

struct error;

/* Where an update comes from: a URL or a directory, which have root.json, update.json and
 * manifest-N.json, or one file that holds all three. Nothing of it is believed. */
struct update_source {
    char *name;       /* for messages */
    bool is_bundle;   /* one file */
    struct text text; /* of that file */
    struct update_bundle bundle;
    struct mirror mirror; /* otherwise */
    struct cache *cache;
    unsigned timeout_s; /* the stall of a transfer; 0: the usual */
    const char *cacert; /* the caller's; NULL: none */
};
#define AUTO_SOURCE AUTO(update_source_close)

/* from: as a user writes it. */
bool update_source_open(const char *from, unsigned timeout_s, const char *cacert,
                        struct update_source *ret_source, struct error *error);
void update_source_close(struct update_source *source);

/* What is wanted of it. */
struct update_wanted {
    enum { UPDATE_ROOTS, UPDATE_STATEMENT, UPDATE_MANIFEST } part;
    const char *file;            /* its name in a directory */
    size_t max;                  /* no more is read */
    uint64_t size;               /* exactly so many; 0: not known */
    const struct digest *sha256; /* NULL: something else proves it */
};
/* *ret_where is what errors call it; free() it. */
bool update_source_get(const struct update_source *source, const struct update_wanted *wanted,
                       struct text *ret_text, char **ret_where, struct error *error);

#endif
