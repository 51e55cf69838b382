/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_SOURCE_H
#define INSTALL_SOURCE_H

#include "base/error.h"
#include "base/text.h"

/* Where files come from: NVIDIA's server, a mirror's URL, a directory. */
#define SOURCE_NVIDIA "https://developer.download.nvidia.com"

struct source {
    char *base;        /* as given, without a slash at its end */
    bool is_directory; /* a path, or file://: opened by us, never by libcurl */
    bool is_secure;    /* https, loopback or a directory: good for what is not pinned */
};

/* "https://host/path", "http://…" (only what is pinned may come by it), "file:///dir", "/dir",
 * "./dir". ERROR_USAGE for another scheme, a query, credentials in the URL (they would be shown).
 */
bool source_parse(const char *text, struct source *ret_source, struct error *error);
void source_free(struct source *source);
/* The URL or path of a file there; each step of path is checked and escaped. free() it. */
char *source_url(const struct source *source, const char *path);
/* True for a path that may stand below a mirror: relative, no empty, "." or ".." step, no control
 * character, no backslash, at most 1024 bytes (M08). */
bool source_path_is_safe(const char *path);

#endif
