/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_FETCH_MIRROR_H
#define INSTALL_FETCH_MIRROR_H

#include "base/error.h"
#include "base/text.h"

/* Where files come from: NVIDIA's server, a mirror's URL, a directory. */
#define MIRROR_NVIDIA "https://developer.download.nvidia.com"

struct mirror {
    char *base;        /* a URL as given, or a path; without slashes at its end ("/" is "") */
    bool is_file;      /* base is the URL of the one file that is wanted, and not of a directory */
    bool is_directory; /* a path, or file://: opened by us, never by libcurl */
    bool is_secure;    /* https, loopback or a directory: good for what is not pinned */
};

/* "https://host/path", "http://…" (only what is pinned may come by it), "file:///dir", "/dir",
 * "./dir". ERROR_USAGE for another scheme, a query, credentials in the URL (they would be shown).
 */
bool mirror_parse(const char *text, struct mirror *ret_mirror, struct error *error);
void mirror_free(struct mirror *mirror);
/* The URL or path of a file there; in a URL each step of path is escaped. NULL for a path that is
 * not safe. free() it. */
char *mirror_url(const struct mirror *mirror, const char *path);
/* Opens a file of a mirror that is a directory, for reading. Links are followed: a mirror is its
 * user's. What is not a regular file is refused, a FIFO does not block. -1: error is filled
 * (ERROR_NO_INPUT). *ret_in_place: no other user can write it, so that it may be used from where it
 * lies. */
int mirror_open(const struct mirror *mirror, const char *path, bool *ret_in_place,
                struct error *error);
/* The same of the first of the directories among count mirrors that has it; -1: none has. */
int mirrors_open(const struct mirror *mirrors, size_t count, const char *path);
#endif
