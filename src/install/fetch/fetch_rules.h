/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_FETCH_FETCH_RULES_H
#define INSTALL_FETCH_FETCH_RULES_H

#include <stdbool.h>
#include <stdint.h>

/* What to do after a try: pure, a table and arithmetic (docs/reference/downloads.md). */
enum fetch_fault {
    FAULT_NONE,        /* the bytes are there */
    FAULT_STATUS,      /* the server answered something else than the file */
    FAULT_PROXY,       /* the proxy answered something else than a connection */
    FAULT_RESOLVE,     /* the name has no address */
    FAULT_CONNECT,     /* no connection */
    FAULT_CUT,         /* the connection ended in the middle */
    FAULT_STALLED,     /* nothing came, or too little */
    FAULT_TLS,         /* no agreement on TLS */
    FAULT_CERTIFICATE, /* the server is not the one it should be, or that cannot be told */
    FAULT_RANGE,       /* status 206 with something else than what was asked for */
    FAULT_WRONG,       /* not the file: another size, a page of HTML */
    FAULT_DIGEST,      /* bytes that are not the ones wanted */
    FAULT_REDIRECT,    /* a redirect that is not followed */
    FAULT_OTHER,       /* of libcurl: a URL that it does not take … */
};

struct fetch_try {
    enum fetch_fault fault;
    long status;           /* FAULT_STATUS, FAULT_PROXY */
    int64_t retry_after_s; /* 0: not said */
    unsigned tries;        /* that this file has had at this mirror, this one included */
    bool reached;          /* the mirror has answered something in this run */
    bool resumed;          /* the rest of a file was asked for, from a byte on */
    bool range_good;       /* and this mirror has sent bytes of such a rest */
    unsigned base_ms;      /* 0: FETCH_BASE_MS */
    unsigned random;       /* 0 … 1023 */
};

#define FETCH_TRIES       5
#define FETCH_BASE_MS     500
#define FETCH_RETRY_AFTER 120 /* seconds: a mirror that wants more is left */

/* RFC 9110: what may be otherwise in a moment. */
bool fetch_status_may_pass(long status);

enum fetch_action {
    FETCH_TAKE,        /* nothing was wrong */
    FETCH_RETRY,       /* the same again, resumed, after wait_ms */
    FETCH_RESTART,     /* the same from byte 0, at once: what has come, or the question for the
                          rest, may be what is wrong. Once, since then nothing is resumed */
    FETCH_NEXT_MIRROR, /* this mirror will not give the file */
};
struct fetch_decision {
    enum fetch_action action;
    uint64_t wait_ms;
};
struct fetch_decision fetch_decide(const struct fetch_try *ended);

/* How many large files come at a time. The largest one first has the line to itself, for it takes
 * longest to unpack; after FETCH_LOOK_MS a second one joins in, and then another one whenever all
 * of them together have become faster by a tenth than they were, or half as fast. Where nothing
 * changes one joins in now and then, in less than a second. Files below FETCH_LARGE are not counted
 * and come when no large one waits. Start with {0}. */
#define FETCH_LARGE   (UINT64_C(8) << 20)
#define FETCH_LOOK_MS 100
struct fetch_places {
    unsigned count;     /* at a time */
    uint64_t looked_ms; /* last */
    uint64_t bytes;     /* that had come by then */
    uint64_t best;      /* bytes in a second, when the last one joined in; falls slowly */
};
/* At any time, with what has come so far; most: no more than these, and no fewer than 1. Returns
 * places->count. */
unsigned fetch_places_look(struct fetch_places *places, uint64_t now_ms, uint64_t bytes,
                           unsigned most);

#endif
