/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_FETCH_FETCH_H
#define INSTALL_FETCH_FETCH_H

#include "install/cache/cache.h"
#include "install/io/digest.h"
#include "install/output/progress.h"
#include "install/fetch/mirror.h"

struct error;
struct text;

/* Files from mirrors, several at a time. What comes is counted, resumed and retried; what comes at
 * last is proved by the caller (docs/reference/downloads.md). */

/* One file that is wanted. The caller fills the first part. */
struct fetch_item {
    const char *path;             /* below a mirror: "compute/cuda/redist/….tar.xz" */
    uint64_t size;                /* 0: unknown, at most max */
    uint64_t max;                 /* where size is 0 */
    const struct digest *sha256;  /* NULL: not pinned (only with --allow-unpinned) */
    bool pinned;                  /* content is proved afterwards: other hosts and http are fine */
    const struct mirror *address; /* where else it is, asked after the mirrors; NULL: nowhere */
    bool only_there;              /* the mirrors have no such file */
    bool is_page;                 /* HTML is what is wanted */
    void *data;                   /* the caller's */
    /* For fetch_one(): whether the bytes are the ones wanted, where sha256 does not tell. False
     * fills error, and the next mirror is asked. May be NULL. */
    bool (*proves)(struct fetch_item *item, const struct text *text, struct error *error);
    /* Once it has come: an open file that no other user can write. It is complete, and has the size
     * that was wanted; it is verified by whoever unpacks it. The caller closes it. */
    int fd;
    char *url; /* where it came from, for messages; free() */
};

struct fetch_options {
    const struct mirror *mirrors;
    size_t mirror_count;
    const struct cache *cache;
    bool offline;       /* no socket is opened: the cache and directories */
    unsigned jobs;      /* transfers at a time; 0: 6 */
    unsigned timeout_s; /* no byte for so long, or under 1 KiB/s for twice as long, is a stall;
                           0: 30 */
    const char *cacert; /* --cacert; NULL: not given */
    unsigned wait_ms;   /* the shortest wait before a retry; 0: 500 */
    struct progress *progress; /* may be NULL */
    const char *lock;          /* the lock file that names the items; NULL: none */
};

/* A running set of transfers, to be driven by the caller's own loop. */
struct fetch;
/* Nothing is sent before the first fetch_step(). items are taken largest first; they belong to the
 * caller and must outlive the fetch; so must what options point to. With offline, false
 * (ERROR_UNAVAILABLE) names every item that is neither in the cache nor in a directory. */
struct fetch *fetch_new(const struct fetch_options *options, struct fetch_item *items, size_t count,
                        struct error *error);
void fetch_free(struct fetch *fetch); /* ends what runs; partial files stay in the cache */

/* Waits at most timeout_ms for transfers or until one of extra_fds can be read, and moves on.
 * False: an item cannot be had from any mirror (ERROR_UNAVAILABLE, or ERROR_DATA when one sent
 * something else), or the disk is full (ERROR_CANNOT_WRITE). */
bool fetch_step(struct fetch *fetch, const int *extra_fds, size_t extra_count, int timeout_ms,
                struct error *error);
/* The next item that has come, NULL when there is none yet. */
struct fetch_item *fetch_next(struct fetch *fetch);
/* Says that the bytes of an item were not the ones wanted: its file is closed, they are thrown
 * away, the mirror is reported, and the next one is asked; first the same mirror once more when the
 * bytes were not all from one answer. False: none is left, error (ERROR_DATA) names each URL with
 * the digest expected and the one found. */
bool fetch_refuse(struct fetch *fetch, struct fetch_item *item, const struct digest *found,
                  struct error *error);

/* One file, waited for and proved by sha256 or proves(); for redistrib files. Its bytes are in
 * ret_text, item->fd is -1. Only what sha256 names is kept in the cache. */
bool fetch_one(const struct fetch_options *options, struct fetch_item *item, struct text *ret_text,
               struct error *error);

#endif
