/* SPDX-License-Identifier: MIT */
#ifndef PROBE_FRAMEWORK_FRAMEWORK_LOAD_H
#define PROBE_FRAMEWORK_FRAMEWORK_LOAD_H

#include "base/strlist.h"
#include "probe/framework/framework_private.h"

/* Private to framework_load*.c: the libraries of one process that imports a framework, in the order
 * the loader opens them. An object that is there already under a SONAME serves whoever asks. */
struct loaded {
    char *soname;
    char *path, *real, *why; /* NULL: nothing was found */
    char *by;                /* the file that asked */
    const char *how;         /* needed, opened, preloaded */
    char *rpath;             /* RPATH that counts for it: its own, then of those that led to it */
    char *runpath;
    char *damage; /* why it cannot be loaded, though it is there; NULL: nothing is known of that */
};

struct loading {
    struct framework_work *work;
    const struct framework *framework;
    struct loaded *items;
    size_t count, capacity;
    size_t next;         /* the first whose needs were not looked at */
    struct strlist own;  /* directories of the environment that hold CUDA's libraries */
    char *program_rpath; /* of the Python program: conda's has one */
    char *glibc;         /* the highest glibc that the framework's own files need; NULL: none */
    char *glibc_by;      /* the file that does */
};

#define LOADED_MAX 400

void loading_begin(struct framework_work *work, const struct framework *framework,
                   struct loading *ret_loading);
void loading_free(struct loading *loading);
/* Takes back the objects from that one on. */
void loading_drop(struct loading *loading, size_t first);
/* Notes that `by` asks for a name and gets nothing. */
void loading_miss(struct loading *loading, const char *soname, const char *by);
/* What follows is of another framework. */
void loading_forget_glibc(struct loading *loading);

/* Loads a file by its path with all that it needs. False when it is not there or cannot be loaded.
 */
bool loading_file(struct loading *loading, const char *path, const char *how);

/* Opens a name as the file `by` would by dlopen(3), with all that it needs. */
void loading_open(struct loading *loading, const char *soname, const struct loaded *by);

/* The copy of a SONAME in the own directories; NULL: none. free() it. */
char *loading_own(const struct loading *loading, const char *soname);

/* framework_opened.c: what frameworks open without being linked to it: the families of their row,
 * and the parts of cuDNN. */
void opened_run(struct loading *loading);
/* What JAX's plugin opens before its main library: a module of its own asks the libraries for their
 * versions, and is where the loader looks from. Nothing elsewhere. */
void opened_before(struct loading *loading);

#endif
