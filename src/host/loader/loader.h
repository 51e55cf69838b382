/* SPDX-License-Identifier: MIT */
#ifndef HOST_LOADER_LOADER_H
#define HOST_LOADER_LOADER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strlist.h"
#include "host/root/file.h"
#include "host/loader/ldcache.h"

/* The dynamic loader's search, done by reading files: which file would load, and why that one.
 * Order as in ld.so(8) and glibc's elf/dl-load.c: RPATH of the object (when it has no RUNPATH),
 * LD_LIBRARY_PATH, RUNPATH of the object, /etc/ld.so.cache, the default directories. */
struct loader;

/* Reads the root's /etc/ld.so.cache (or, where there is none, the directories that /etc/ld.so.conf
 * and its includes name), LD_LIBRARY_PATH of host's environment, and the machine and class
 * of the root's own programs. Never NULL; loader_problem() says what could not be read. */
struct loader *loader_new(const struct host *host);
void loader_free(struct loader *loader);

/* NULL when the cache was read; else why not (absent, unreadable, damaged: offset). */
const char *loader_problem(const struct loader *loader);

/* EM_… and 32 or 64 of the programs that the root's loader serves. */
uint16_t loader_machine(const struct loader *loader);
unsigned loader_bits(const struct loader *loader);

/* Where a search ended. */
struct loader_hit {
    char *path;      /* as the loader would open it; NULL when nothing was found */
    char *real_path; /* without links */
    const char *why; /* "RPATH", "LD_LIBRARY_PATH", "RUNPATH", "ld.so.cache", "default directory";
                        "ld.so.conf" where there is no cache; "path" when the name has a '/' */
    char *where;     /* the directory or file that led there: "/usr/local/cuda/lib64" */
    struct strlist passed_over; /* "PATH: reason": same name, but wrong class or machine, or no ELF
                                   (then the loader gives up, and path is NULL) */
};

#define AUTO_HIT AUTO(loader_hit_free)

/* Searches soname for a program without RPATH or RUNPATH, or, with an object, for that object's
 * own DT_NEEDED: from is the path the loader opened it by, links and all (a hit's path: $ORIGIN is
 * its directory), rpath and runpath its entries (NULL: none). $ORIGIN, $LIB and $PLATFORM are
 * expanded; glibc-hwcaps subdirectories are looked into. */
void loader_find(const struct loader *loader, const char *soname, const char *from,
                 const char *rpath, const char *runpath, struct loader_hit *ret_hit);
void loader_hit_free(struct loader_hit *hit);

/* Adds the directories a program without RPATH is served from, in order, without repetition:
 * LD_LIBRARY_PATH, those of the cache's entries, the defaults. */
void loader_directories(const struct loader *loader, struct strlist *directories);

/* The cache's entries that fit the loader's machine, for listing what it knows. */
const struct ldcache *loader_cache(const struct loader *loader);

#endif
