/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_CACHE_CACHE_PRUNE_H
#define INSTALL_CACHE_CACHE_PRUNE_H

#include <stdint.h>

#include "base/error.h"

/* What the cache (cache.h) holds, and taking it away again. Only files that are the cache's by
 * name, place, type and owner are counted and removed; links are never followed. */
enum cache_kind {
    CACHE_ARCHIVE, /* sha256/ab/abcd…: verified */
    CACHE_PARTIAL, /* partial/…: still coming, or left by a run that ended */
    CACHE_LIST,    /* proved/…: small files */
    CACHE_KINDS
};
struct cache_entry {
    enum cache_kind kind;
    char *directory; /* below the cache: "sha256/ab" */
    char *name;
    uint64_t size;
    int64_t used;    /* when it was written or last read, in seconds since 1970 */
    bool is_busy;    /* another process is writing it */
    bool is_removed; /* it was, or with a dry run would be, removed */
};
struct cache_contents {
    char *path; /* NULL: there is no place for a cache */
    int fd;     /* -1: it is not there */
    struct cache_entry *entries;
    size_t count, capacity;
    size_t others; /* entries of its directories that are not the cache's */
};
#define AUTO_CONTENTS AUTO(cache_contents_free)
void cache_contents_free(struct cache_contents *contents);

/* Looks into the cache's directory, and makes none. ERROR_CANNOT_WRITE: it belongs to another user,
 * or others may write to it. */
bool cache_contents_read(struct cache_contents *ret_contents, struct error *error);

struct cache_limits {
    bool all;
    bool by_age;
    int64_t older_than_s;
    bool by_size;
    uint64_t max_size;
};
/* Marks what goes: by age, then, from the least recently used, what is above the size. What is busy
 * stays. */
void cache_mark(struct cache_contents *contents, const struct cache_limits *limits, int64_t now);
/* Removes what is marked, under the cache's lock, which every running install shares: none loses
 * what it is about to unpack. ERROR_BUSY when one runs for longer than lock_timeout_s. */
bool cache_remove_marked(struct cache_contents *contents, const struct cache_limits *limits,
                         int64_t now, unsigned lock_timeout_s, struct error *error);

#endif
