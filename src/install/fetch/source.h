/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_FETCH_SOURCE_H
#define INSTALL_FETCH_SOURCE_H

#include "base/error.h"
#include "base/text.h"

/* Where files come from: NVIDIA's server, a mirror's URL, a directory. */
#define SOURCE_NVIDIA "https://developer.download.nvidia.com"

struct source {
    char *base;        /* a URL as given, or a path; without slashes at its end ("/" is "") */
    bool is_directory; /* a path, or file://: opened by us, never by libcurl */
    bool is_secure;    /* https, loopback or a directory: good for what is not pinned */
};

/* "https://host/path", "http://…" (only what is pinned may come by it), "file:///dir", "/dir",
 * "./dir". ERROR_USAGE for another scheme, a query, credentials in the URL (they would be shown).
 */
bool source_parse(const char *text, struct source *ret_source, struct error *error);
void source_free(struct source *source);
/* The URL or path of a file there; in a URL each step of path is escaped. NULL for a path that is
 * not safe. free() it. */
char *source_url(const struct source *source, const char *path);
/* Opens a file of a directory source for reading. Links are followed: a mirror is its user's. What
 * is no regular file is refused, a FIFO does not block. -1: error is filled (ERROR_NO_INPUT).
 * *ret_in_place: no other user can write it, so that it may be used from where it lies. */
int source_open(const struct source *source, const char *path, bool *ret_in_place,
                struct error *error);
#endif
