/* SPDX-License-Identifier: MIT */
#ifndef PROBE_LIBRARY_LIBRARY_VERSION_H
#define PROBE_LIBRARY_LIBRARY_VERSION_H

#include "base/strlist.h"
#include "base/version.h"
#include "probe/library/library_scan.h"

/* Headers and dist-info directories that were read already: a tree's libraries share them. */
struct library_memo {
    struct memo_header {
        char *path;
        bool valid;
        struct version version;
    } * headers;
    size_t header_count, header_capacity;
    struct memo_directory {
        char *path;
        struct strlist names; /* of dist-info directories of NVIDIA's packages */
    } * directories;
    size_t directory_count, directory_capacity;
};

/* The version of a copy, from the first that answers: its file's name; a header of the tree it
 * lies in; a dist-info directory of that tree; its SONAME. Headers and dist-info speak only when
 * their first number is the SONAME's. soname may be NULL. The caller owns *ret_source. */
bool library_version(const struct host *host, const struct library_copy *copy, const char *soname,
                     struct library_memo *memo, struct version *ret_version, char **ret_source);
void library_memo_free(struct library_memo *memo);

#endif
