/* SPDX-License-Identifier: MIT */
#ifndef HOST_LOADER_LDCACHE_H
#define HOST_LOADER_LDCACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* One entry of /etc/ld.so.cache. The strings belong to the cache. */
struct ldcache_entry {
    const char *soname;
    const char *path;
    int32_t flags;  /* FLAG_ELF_LIBC6 and the architecture bits: glibc sysdeps/generic/ldconfig.h */
    uint64_t hwcap; /* 0 when the entry is for every processor of the architecture */
};

struct ldcache {
    struct ldcache_entry *entries; /* in the file's order, which is the loader's */
    size_t count;
    char *strings; /* what the entries point into */
};

/* Parses the bytes of an ld.so.cache: the format since glibc 2.2 ("glibc-ld.so.cache1.1"), the old
 * one ("ld.so-1.7.0"), and the old one with the new one behind it, of which the new one counts
 * (glibc elf/cache.c, sysdeps/generic/dl-cache.h). Every offset is checked. False and ERROR_DATA
 * with the offset when the bytes are not such a file. */
bool ldcache_parse(const char *bytes, size_t size, struct ldcache *ret_cache, struct error *error);
void ldcache_free(struct ldcache *cache);

/* True when the entry's flags say it is a library for this ELF machine (EM_…) and class
 * (32 or 64): glibc's _DL_CACHE_DEFAULT_ID of that architecture. */
bool ldcache_entry_fits(const struct ldcache_entry *entry, uint16_t machine, unsigned bits);

#endif
