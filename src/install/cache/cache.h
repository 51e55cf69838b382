/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_CACHE_CACHE_H
#define INSTALL_CACHE_CACHE_H

#include "base/text.h"
#include "install/io/digest.h"

struct error;

/* Downloads kept by their digest: CACHE/sha256/ab/abcd… for what was verified, CACHE/partial/… for
 * what is still coming, CACHE/proved/NAME for small files that something else proves. Root:
 * /var/cache/gpuenv whatever HOME says; users: $XDG_CACHE_HOME/gpuenv, else ~/.cache/gpuenv;
 * GPUENV_CACHE_DIR overrides. Everything by directory handles; directories are made 0700, files
 * 0600, whatever the umask.
 *
 * A directory that another user owns or may write is not used: ERROR_CANNOT_WRITE. Where there is
 * no place that can be written (read-only, no room, no home), what comes goes into files without a
 * name, which are gone when they are closed, and cache_note() says so; a cache that can only be
 * read is read. */
struct cache;

/* With no_cache nothing is looked up and nothing is kept: files have no name, in parent_fd where
 * that can be written, else in TMPDIR or /var/tmp, else in memory. parent_fd may be -1; it stays
 * the caller's. */
struct cache *cache_open(bool no_cache, int parent_fd, struct error *error);
void cache_free(struct cache *cache);
const char *cache_path(const struct cache *cache); /* for messages */
/* Why nothing can be kept, to be told once; NULL: it can, or --no-cache said so. */
const char *cache_note(const struct cache *cache);

/* The verified file, opened for reading; -1: not there. Its bytes are verified again by whoever
 * uses it. */
int cache_find(const struct cache *cache, const struct digest *sha256);
bool cache_has(const struct cache *cache, const struct digest *sha256);
/* The file that a transfer is written to, open for reading and writing, its offset at 0, with what
 * an earlier run left in it; locked by this process. When another process is at it, this one gets
 * an empty file of its own. key: digest, or of the path for what has none. -1: error is filled. */
int cache_partial(const struct cache *cache, const struct digest *key, struct error *error);
/* A partial that was verified gets its final name. What is in the cache already, what is not the
 * cache's (a file of a mirror that is a directory), and what can be given no name, is left as it
 * is; that is no error. */
bool cache_keep(const struct cache *cache, const struct digest *sha256, int fd,
                struct error *error);
/* Small files that are proved by something else than the digest of their bytes, by a name of
 * letters, digits and '-' that says what proves them. load: false when it is not there. */
bool cache_load(const struct cache *cache, const char *name, size_t max, struct text *ret_text);
bool cache_store(const struct cache *cache, const char *name, const struct text *text,
                 struct error *error);
/* Bytes free where downloads go, and the file system it is on; false: cannot be told. */
bool cache_space(const struct cache *cache, uint64_t *ret_free, uint64_t *ret_file_system);
/* What was found wrong goes away: the kept file. A partial is emptied by whoever holds it. */
void cache_drop(const struct cache *cache, const struct digest *sha256);

#endif
