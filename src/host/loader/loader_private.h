/* SPDX-License-Identifier: MIT */
#ifndef HOST_LOADER_LOADER_PRIVATE_H
#define HOST_LOADER_LOADER_PRIVATE_H

/* Private to host/loader*.c. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strlist.h"
#include "host/root/file.h"
#include "host/loader/ldcache.h"
#include "host/loader/loader.h"

#define LOADER_CACHE "/etc/ld.so.cache"
#define LOADER_CONF  "/etc/ld.so.conf"

/* Whom the loader serves, and what of its search is fixed when glibc is built. */
struct loader_target {
    uint16_t machine; /* 0: unknown, anything fits */
    unsigned bits;
    const char *lib;         /* what $LIB stands for: "lib64", "lib/x86_64-linux-gnu" */
    const char *platform;    /* what $PLATFORM stands for */
    struct strlist defaults; /* the default directories, in order */
    struct strlist levels;   /* subdirectories for this processor, best first: "x86-64-v3" */
};

/* A search path cut into directories, absolute and without '/' at the end. */
struct loader_item {
    char *directory; /* NULL: cannot be looked into, note says why */
    char *note;      /* of directory: how it was meant when that is not what is written */
};

struct loader_items {
    struct loader_item *items;
    size_t count, capacity;
};

struct loader {
    const struct host *host;
    char *problem;
    struct loader_target target;
    struct ldcache cache;
    const struct ldcache_entry **by_name; /* the cache's entries, by name, then in its order */
    struct loader_items library_path;     /* LD_LIBRARY_PATH: what is there of it, each once */
    struct strlist configured;            /* directories of ld.so.conf, when there is no cache */
};

/* loader_target.c */
void loader_target_find(const struct host *host, struct loader_target *ret_target);
void loader_target_free(struct loader_target *target);

/* loader_conf.c: adds the directories that ld.so.conf and what it includes name. */
void loader_conf_read(const struct host *host, struct strlist *directories);

/* loader_file.c: what the loader does when it comes to a file. */
enum loader_verdict {
    LOADER_ABSENT, /* nothing there: goes on, and nothing is said */
    LOADER_OPENS,
    LOADER_PASSES_OVER,
    LOADER_LEAVES_LIST, /* gives up this list of directories and goes on with the next */
    LOADER_GIVES_UP,    /* the search ends with an error */
};

/* Judges path as glibc's open_verify() does; *ret_reason is set for all but the first two. */
enum loader_verdict loader_judge(const struct loader *loader, const char *path, char **ret_reason);

/* The machine and class in the first bytes of an ELF file of this machine's byte order. */
bool loader_head_machine(const char *head, size_t size, uint16_t *ret_machine, unsigned *ret_bits);

/* loader_path.c */
#define AUTO_ITEMS AUTO(loader_items_free)

/* origin is what $ORIGIN stands for, NULL when that is not known. */
void loader_items_read(const struct loader *loader, const char *path, const char *separators,
                       const char *origin, struct loader_items *items);
/* Leaves out what stands there twice, and directories that do not exist. */
void loader_items_tidy(const struct loader *loader, struct loader_items *items);
void loader_items_free(struct loader_items *items);

/* text with $ORIGIN, $LIB and $PLATFORM replaced; NULL when it names $ORIGIN and origin is NULL. */
char *loader_expand(const struct loader *loader, const char *text, const char *origin);

#endif
