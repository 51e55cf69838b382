/* SPDX-License-Identifier: MIT */
#ifndef PROBE_LIBRARY_LIBRARY_SCAN_H
#define PROBE_LIBRARY_LIBRARY_SCAN_H

#include "base/strlist.h"
#include "host/loader/loader.h"
#include "probe/library/library_family.h"
#include "probe/engine/probe.h"
#include "probe/places/toolkit_root.h"

/* One file that has the name of a library we look for. */
struct library_copy {
    char *path;   /* real path; as it was found when it leads nowhere */
    char *name;   /* "libcudnn_ops" */
    char *broken; /* why there is no file at the end of the path; NULL when there is one */
    const struct library_family *family;
    struct strlist found_as; /* at most LIBRARY_FOUND_MAX */
};

#define LIBRARY_FOUND_MAX  16
#define LIBRARY_COPIES_MAX 1024
#define LIBRARY_NAMES_MAX  8192

/* Where CUDA's libraries can be, and those that are there. */
struct library_scan {
    struct strlist sites;       /* site_directories() */
    struct toolkit_roots roots; /* toolkit_roots_find() */
    struct strlist conda;       /* conda prefixes */
    struct strlist directories; /* real paths of those listed */
    struct library_copy *copies;
    size_t count, capacity;
    size_t names;   /* file names looked at */
    bool truncated; /* there were more than the limits allow; the rest was not looked at */
    char *problem;  /* of the first directory that is there and could not be listed; else NULL */
};

#define AUTO_SCAN AUTO(library_scan_free)

/* Lists each directory once; opens no library. */
void library_scan_find(const struct probe_context *context, struct library_scan *ret_scan);
void library_scan_free(struct library_scan *scan);

/* "toolkit", "package", "wheel", "conda", "system", "wsl" or "compat" (facts/dictionary.c). */
const char *library_origin(const struct library_scan *scan, const struct library_copy *copy);

#endif
