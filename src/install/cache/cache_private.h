/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_CACHE_CACHE_PRIVATE_H
#define INSTALL_CACHE_CACHE_PRIVATE_H

#include "install/cache/cache.h"

struct error;

/* Private to cache*.c. */

/* A verified file without a name. */
struct cache_kept {
    struct digest sha256;
    int fd;
};
struct cache_kept_list {
    struct cache_kept *items;
    size_t count, capacity;
};

struct cache {
    char *path;                   /* for messages */
    char *note;                   /* why nothing can be kept; NULL */
    bool can_write;               /* partial_fd and sha256_fd are, and can be written */
    int fd;                       /* of the directory; -1: there is none */
    int sha256_fd;                /* -1: not there */
    int partial_fd;               /* -1: not there */
    int proved_fd;                /* -1: not there */
    int scratch_fd;               /* where files without a name go first; -1 */
    struct cache_kept_list *kept; /* what has no name */
};

/* The cache's directory by the environment; NULL without an error: there is no home. */
char *cache_place(struct error *error);

enum cache_open_result { CACHE_OPENED, CACHE_UNAVAILABLE, CACHE_UNSAFE };
/* Opens, and makes where it is missing, the directory at an absolute path, step by step. A link on
 * the way is followed when it is ours or root's. UNAVAILABLE: it cannot be written or made here;
 * UNSAFE: it, or what it would be made in, is not ours alone. Both fill error. */
enum cache_open_result cache_open_directory(const char *path, int *ret_fd, struct error *error);
/* The directory called name in fd, made 0700 where it is missing. */
enum cache_open_result cache_open_below(int fd, const char *path, const char *name, int *ret_fd,
                                        struct error *error);

/* Held for as long as the cache is open, so that nothing is pruned meanwhile: waits for a prune,
 * 10 s at most, and does without where locks are not available. */
void cache_share(int fd);

/* Names as the cache gives them: PREFIX.RANDOM; letters, digits and '-'. */
bool cache_is_random_name(const char *name);
bool cache_is_plain_name(const char *name);

/* A new locked file in fd called PREFIX.RANDOM; its name in *ret_name (free() it). -1: errno. */
int cache_create_named(int fd, const char *prefix, char **ret_name);
/* A new file without a name. scratch_fd: where it is tried first, or -1. -1: error is filled. */
int cache_create_nameless(int scratch_fd, struct error *error);
/* A regular file without a byte. */
bool cache_is_empty(int fd);
/* Removes what no process holds: files called PREFIX.RANDOM, which killed runs left, and empty
 * ones. */
void cache_remove_stale(int fd);

#endif
