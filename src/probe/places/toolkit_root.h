/* SPDX-License-Identifier: MIT */
#ifndef PROBE_PLACES_TOOLKIT_ROOT_H
#define PROBE_PLACES_TOOLKIT_ROOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strlist.h"
#include "base/version.h"
#include "facts/facts.h"
#include "host/root/file.h"

/* One CUDA toolkit. */
struct toolkit_root {
    char *path; /* real path: "/usr/local/cuda-13.0"; "/usr" for a distribution's own */
    struct strlist named_by; /* paths and variables that lead to it */
    const char *origin;      /* "directory", "package", "conda", "wheel", "store", "hpc-sdk" */
    bool denied;             /* this user may not look into it */
};

struct toolkit_roots {
    struct toolkit_root *items; /* in the order found: variables, PATH, /usr/local, … */
    size_t count, capacity;
    bool truncated; /* there were more than TOOLKIT_ROOTS_MAX */
};

#define TOOLKIT_ROOTS_MAX 64

#define AUTO_ROOTS AUTO(toolkit_roots_free)

/* Finds every toolkit root; sites are the directories of site_directories(). */
void toolkit_roots_find(const struct host *host, const struct strlist *sites,
                        struct toolkit_roots *ret_roots);
void toolkit_roots_free(struct toolkit_roots *roots);

/* Whether builds get it: a variable names it, PATH has its nvcc, or /usr/local/cuda or a
 * distribution's package is it. */
bool toolkit_root_is_chosen(const struct toolkit_root *root);

/* The root that holds path (a real path), or NULL. "/usr" holds only its library directories. */
const struct toolkit_root *toolkit_roots_holding(const struct toolkit_roots *roots,
                                                 const char *path);

/* Adds the directories of root that hold its libraries and exist: lib64, lib, lib/<triplet>,
 * targets/<target>/lib. */
void toolkit_library_directories(const struct host *host, const char *root,
                                 struct strlist *directories);

/* The first nvcc on PATH that can be run, as PATH has it; NULL when there is none. free() it. */
char *toolkit_nvcc_on_path(const struct host *host);

/* Sets the instance's fact "version" from version.json, version.txt, cuda.h or the name of the
 * runtime library, the first that answers (toolkit_version.c). */
void toolkit_note_version(const struct host *host, const struct toolkit_root *root,
                          struct facts *facts, const char *group);

/* Adds which of nvcc, ptxas, cicc, libdevice, cudart, headers are not there (toolkit_parts.c). */
void toolkit_missing(const struct host *host, const char *root, struct strlist *missing);

/* The release in what `nvcc --version` prints: "13.0.88" of "release 13.0, V13.0.88". */
bool toolkit_parse_nvcc(const char *output, struct version *ret_version);

/* Sets the instance's fact "nvcc_version" by running root's nvcc. */
void toolkit_note_nvcc(const struct host *host, const char *root, uint64_t deadline_ms,
                       struct facts *facts, const char *group);

#endif
