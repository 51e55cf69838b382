/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_FETCH_FETCH_PRIVATE_H
#define INSTALL_FETCH_FETCH_PRIVATE_H

#include "base/text.h"
#include "install/fetch/fetch.h"
#include "install/fetch/http.h"

struct error;

/* Private to fetch*.c. */

enum transfer_state {
    TRANSFER_WAITING, /* for a place, or until due_ms */
    TRANSFER_RUNNING, /* from a server */
    TRANSFER_COPYING, /* from a directory */
    TRANSFER_READY,   /* to be given to the caller */
    TRANSFER_GIVEN,
};

/* One item on its way, from one mirror after the other. */
struct transfer {
    struct fetch *fetch;
    struct fetch_item *item;
    enum transfer_state state;
    bool was_cached;    /* the cache has been asked */
    bool is_from_cache; /* what was given came from there */
    bool is_partial;    /* what was given is ours: a partial of the cache */

    size_t mirror;     /* the mirror that is asked */
    unsigned tries;    /* that ended there */
    unsigned hops;     /* redirects of this try */
    uint64_t begun_ms; /* when it was first asked there */
    uint64_t due_ms;
    bool was_refetched; /* from byte 0, because several answers of this mirror did not fit */
    bool no_range;      /* this mirror is asked from byte 0, whatever has come */
    bool range_good;    /* this mirror has sent a part that was asked for, or some of it */

    int fd;           /* what is written to; -1: not opened yet */
    uint64_t have;    /* bytes in it */
    bool is_mixed;    /* they are from several answers */
    bool is_old;      /* some are of an earlier run, or of another mirror */
    uint64_t came;    /* of the file with this try */
    uint64_t skipped; /* of an answer that is not the file */
    int copy_fd;      /* of the mirror's file; -1 */

    char *url; /* that is asked */
    struct http_request request;
    bool is_judged;         /* the answer has been looked at */
    bool is_body;           /* and what follows is the file */
    enum fetch_fault fault; /* found by us */
    char why[256];          /* words for it */
    char *noted;            /* those of the last note of another try */
    int write_errno;

    struct text failures; /* "URL: reason; URL: reason" */
    size_t failure_count;
    char *last_url; /* of the last failure, and its reason */
    char *last_reason;
    char *advice;
    bool has_wrong; /* a mirror sent something else */
    bool is_gone;   /* a mirror has no such file */
};

/* What is known of a mirror. */
struct mirror_state {
    bool reached; /* it has answered in this run */
    char *down;   /* why it is not asked any more; NULL */
    enum fetch_fault down_fault;
};

struct fetch {
    struct fetch_options options;
    struct transfer *transfers; /* largest first */
    size_t count;
    size_t running, running_large; /* from servers */
    struct fetch_places places;
    uint64_t bytes;               /* that have come */
    bool in_memory;               /* nothing is left in the cache */
    struct mirror_state *mirrors; /* the last is of all addresses that items have */
    struct http *http;            /* made for the first transfer from a server */
};

/* fetch_transfer.c: the way of one item. */
/* The mirror that is asked now, or with more the one after so many others; NULL: none is left. */
const struct mirror *transfer_mirror(const struct transfer *transfer, size_t more);
struct mirror_state *transfer_mirror_state(const struct transfer *transfer);
bool transfer_begin(struct transfer *transfer, struct error *error);
/* fd -1: what was written is the file. */
void transfer_ready(struct transfer *transfer, int fd, const char *url);
/* The file that is written to, with what is there already. */
bool transfer_open_partial(struct transfer *transfer, struct error *error);
void transfer_empty(struct transfer *transfer); /* throws away what has come */
/* Adds to the file. False: write_errno says why. */
bool transfer_write(struct transfer *transfer, const char *bytes, size_t size);
bool transfer_cannot_write(const struct transfer *transfer, struct error *error);
/* This mirror will not give the file: the next one is asked. What has come stays. */
void transfer_leave_mirror(struct transfer *transfer);
uint64_t transfer_limit(const struct transfer *transfer);

/* fetch_local.c: the cache and directories. */
bool transfer_from_cache(struct transfer *transfer);
bool transfer_from_directory(struct transfer *transfer, struct error *error);
bool transfer_copy_more(struct transfer *transfer, struct error *error);
/* Whether the item can be had without a connection. */
bool transfer_is_local(const struct transfer *transfer);

/* fetch_network.c: servers. */
bool transfer_from_server(struct transfer *transfer, struct error *error);
bool transfer_ended(struct transfer *transfer, struct error *error);

/* fetch_answer.c: what a server sends. */
bool transfer_take(struct http_request *request, const char *bytes, size_t size);
/* HTML, by the type that the answer has. */
bool transfer_is_page(const struct transfer *transfer);
/* The fault of a try that has ended, with words in why. */
enum fetch_fault transfer_fault(struct transfer *transfer);

/* fetch_words.c: what is said. */
void transfer_fail_mirror(struct transfer *transfer, const char *url, enum fetch_fault fault,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));
bool transfer_fail(const struct transfer *transfer, struct error *error);
bool fetch_fail_offline(const struct fetch *fetch, struct error *error);
void transfer_note_retry(struct transfer *transfer, uint64_t wait_ms);
void transfer_note_restart(const struct transfer *transfer);
const char *transfer_name(const struct transfer *transfer); /* last step of the path */

#endif
