/* SPDX-License-Identifier: MIT */
#ifndef HOST_ROOT_FILE_WALK_H
#define HOST_ROOT_FILE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "host/root/host.h"

/* Resolution of a path by hand: one component at a time, no link ever followed by the kernel, ".."
 * taken from the stack of directories already open. Start with {.host = host}. */
struct walk_step {
    int fd; /* O_PATH */
    char *name;
};

struct walk {
    const struct host *host;
    struct walk_step *steps; /* from the root's entry downwards; none: the root itself */
    size_t count, capacity;
    char *rest; /* what is still to be resolved begins at rest[at] */
    size_t at;
    unsigned links; /* followed so far */
};

#define AUTO_WALK AUTO(walk_free)

/* Ended on a kernel file system of the running machine. */
#define WALK_FOREIGN (-1)

/* Walks from the root. Returns 0, an errno, or WALK_FOREIGN. */
int walk_path(struct walk *walk, const char *path, bool follow);
int walk_fd(const struct walk *walk);     /* where it stands; the walk keeps it */
char *walk_text(const struct walk *walk); /* the same as a path; free() it */
void walk_pop(struct walk *walk);         /* one directory up */
void walk_free(struct walk *walk);

/* Whose an object of a tree is. ORIGIN_UNSURE: a tmpfs of its own, which depends on where in the
 * tree it is. */
enum walk_origin { ORIGIN_TREE, ORIGIN_FOREIGN, ORIGIN_UNSURE };
enum walk_origin walk_origin(const struct host *host, int fd, const struct stat *stat);

#endif
