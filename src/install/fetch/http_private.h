/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_FETCH_HTTP_PRIVATE_H
#define INSTALL_FETCH_HTTP_PRIVATE_H

#include <curl/curl.h>

#include "install/fetch/http.h"

struct error;

/* Private to http*.c. */

struct http_transfer {
    CURL *easy;
    struct http_request *request;
    char *range;
    char *location;     /* as the server wrote it; NULL: it did not */
    bool is_asked;      /* connected, and the request is sent */
    uint64_t last_ms;   /* when a byte came */
    uint64_t window_ms; /* since when window_bytes are counted */
    uint64_t window_bytes;
    uint64_t header_bytes; /* of all answers, those below 200 too */
};

/* Sets all options of an easy handle. False: libcurl refuses one, or there are no certificates to
 * check the server by (certificates_usable()). */
bool http_set_options(struct http_transfer *transfer, const struct http_settings *settings,
                      struct curl_slist *headers, struct error *error);
/* Fills answer and fault from what libcurl says at the end. */
void http_take_result(struct http_transfer *transfer, CURLcode code);

#endif
