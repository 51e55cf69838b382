/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_FETCH_HTTP_HEADERS_H
#define INSTALL_FETCH_HTTP_HEADERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an answer says of itself. Pure: any bytes are read, and nothing is believed that is not
 * exactly of the form that RFC 9110 gives it. */

struct http_answer {
    long status;           /* of the server; 0: none came */
    long proxy_status;     /* of a proxy's answer to CONNECT; 0: none */
    int64_t length;        /* of the body as announced; -1: not */
    int64_t range_start;   /* of Content-Range: the first byte; -1: there is none that is valid */
    int64_t range_end;     /* the last one; -1 with range_start */
    int64_t range_total;   /* -1: not told */
    int64_t retry_after_s; /* 0: not told */
    char type[64];         /* "text/html", without parameters, lower case; may be "" */
    char encoding[32];     /* Content-Encoding; mostly "" */
};

/* The value of a header line of that name, without spaces at its ends, in the line itself; NULL:
 * it is another header. *ret_size: its bytes, set only then. */
const char *http_header_value(const char *line, size_t size, const char *name, size_t *ret_size);

/* Nothing came yet. */
void http_answer_clear(struct http_answer *answer);
/* Takes one line of the head, with its end: ranges, Retry-After in seconds, type, encoding. True:
 * it is a status line, and the answer begins once more, since a 1xx came before it. */
bool http_answer_take_line(struct http_answer *answer, const char *line, size_t size);

#endif
