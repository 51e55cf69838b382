/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_FETCH_HTTP_H
#define INSTALL_FETCH_HTTP_H

#include <stddef.h>

#include "base/error.h"
#include "install/fetch/fetch_rules.h"
#include "install/fetch/http_headers.h"

/* GET by libcurl's multi interface, several at a time. Only http and https; no credentials,
 * cookies, .netrc, decoding, or redirects (the caller follows them); certificates are always
 * checked, by what certificates_choose() chooses. Proxies by the variables of the curl tool. */

struct http_request;
/* Takes bytes of the body; answer is known by then. False ends the transfer. */
typedef bool (*http_take)(struct http_request *request, const char *bytes, size_t size);

/* One GET. The caller fills the first part, and may change it when the request has ended. */
struct http_request {
    const char *url; /* stays the caller's, until the end */
    uint64_t offset; /* > 0: from this byte on (Range) */
    bool direct;     /* never through a proxy */
    http_take take;
    void *data; /* the caller's */
    /* For take() to set: it has all it wants. What goes on without a byte for HTTP_LINGER_MS is
     * then ended as if the server had ended it. */
    bool has_all;
    /* How it ended. */
    struct http_answer answer;
    enum fetch_fault fault;         /* of the transfer; a status is none */
    bool stopped;                   /* take() was false */
    bool wrong_date;                /* FAULT_CERTIFICATE because of its dates */
    char words[256];                /* libcurl's own, or those of the stall */
    char *redirect;                 /* where a 3xx leads; free() by http_request_clear() */
    struct http_transfer *transfer; /* http.c's */
};
#define HTTP_LINGER_MS   1000
#define HTTP_HEADERS_MAX (256u << 10) /* bytes of all header lines; more is FAULT_OTHER */
void http_request_clear(struct http_request *request);

struct http_settings {
    unsigned timeout_s; /* for a connection, and without a byte; under 1 KiB/s for twice as long is
                           a stall too */
    const char *cacert; /* --cacert, the caller's; NULL: not given */
};

struct http;
struct http *http_new(const struct http_settings *settings, struct error *error);
void http_free(struct http *http); /* ends what runs */

bool http_begin(struct http *http, struct http_request *request, struct error *error);
/* Moves on what can move, and waits at most timeout_ms for more or for one of extra_fds. */
bool http_step(struct http *http, const int *extra_fds, size_t extra_count, int timeout_ms,
               struct error *error);
/* The next request that has ended; NULL: none. */
struct http_request *http_next(struct http *http);

/* The variable that names the proxy for url and its value without credentials, "https_proxy=…", as
 * libcurl looks for it; NULL: none, or no_proxy plainly excludes the host. free() it. */
char *http_proxy_shown(const char *url);

#endif
