/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_CACHE_H
#define INSTALL_CACHE_H

#include "base/text.h"
#include "install/digest.h"

/* Downloads kept by their digest: CACHE/sha256/ab/abcd… for what was verified, CACHE/partial/… for
 * what is still coming. Root: /var/cache/gpuenv whatever HOME says; users: $XDG_CACHE_HOME/gpuenv,
 * else ~/.cache/gpuenv; GPUENV_CACHE_DIR overrides. Everything by directory handles; a directory
 * that another user owns or may write is not used (ERROR_CANNOT_WRITE). Files are 0600. */
struct cache;

/* With no_cache, a new directory below parent_fd that cache_free() removes: nothing is kept. */
struct cache *cache_open(bool no_cache, int parent_fd, struct error *error);
void cache_free(struct cache *cache);
const char *cache_path(const struct cache *cache); /* for messages */

/* The verified file, opened for reading; -1: not there. Its bytes are verified again by whoever
 * uses it. */
int cache_find(const struct cache *cache, const struct digest *sha256);
bool cache_has(const struct cache *cache, const struct digest *sha256);
/* The file that a transfer is written to, open for reading and writing, locked by this process (a
 * second gpuenv that wants the same waits or takes another name). key: digest, or of the URL for
 * what has none. */
int cache_partial(const struct cache *cache, const struct digest *key, struct error *error);
/* A partial that was verified gets its final name. */
bool cache_keep(const struct cache *cache, const struct digest *sha256, int fd,
                struct error *error);
/* Small files that are proved by something else than the digest of their bytes, by a name of
 * letters, digits and '-' that says what proves them. load: false when it is not there. */
bool cache_load(const struct cache *cache, const char *name, size_t max, struct text *ret_text);
bool cache_store(const struct cache *cache, const char *name, const struct text *text,
                 struct error *error);
/* Bytes free where the cache is, and the file system it is on; false: cannot be told. */
bool cache_space(const struct cache *cache, uint64_t *ret_free, uint64_t *ret_file_system);
/* What was found wrong goes away, partial or kept. */
void cache_drop(const struct cache *cache, const struct digest *sha256);

#endif
