/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_IO_URL_H
#define INSTALL_IO_URL_H

#include <stdbool.h>

#include "base/memory.h"

/* The parts of a URL that something is decided by, as libcurl reads them (RFC 3986 with libcurl's
 * leniency): what is checked is what will be asked. */
struct url {
    char *scheme; /* lower case */
    char *host;   /* without brackets */
    bool has_user;
    bool has_query; /* or a fragment */
};
#define AUTO_URL AUTO(url_free)

/* False for what libcurl does not take for an http or https URL with a host. ret_url must be {0}.
 */
bool url_parse(const char *text, struct url *ret_url);
void url_free(struct url *url);

/* A link of a page, as an absolute http or https URL without credentials and fragment; NULL: it is
 * none. free() it. */
char *url_resolve(const char *page, const char *link);

/* localhost, 127.0.0.0/8, ::1: libcurl asks no resolver for these. */
bool url_is_loopback(const struct url *url);
/* The URL without user and password, to be shown; free() it. */
char *url_shown(const char *text);

/* Whether an answer may send us from one URL on to another: never from https to anything else, to
 * http and https alone, without credentials; to another host only when the content is pinned.
 * False: *ret_reason says why not. */
bool url_may_follow(const char *from, const char *to, bool pinned, const char **ret_reason);

#endif
