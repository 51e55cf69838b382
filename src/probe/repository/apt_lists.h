/* SPDX-License-Identifier: MIT */
#ifndef PROBE_REPOSITORY_APT_LISTS_H
#define PROBE_REPOSITORY_APT_LISTS_H

#include "base/strlist.h"
#include "host/root/file.h"

/* What apt-get update has left in /var/lib/apt/lists. */

#define APT_LISTS   "/var/lib/apt/lists"
#define APT_PARTIAL APT_LISTS "/partial"

/* The names in both directories. */
struct apt_lists {
    struct strlist whole;
    struct strlist partial;
    enum host_status partial_status; /* ordinary users may not look into it */
};
#define AUTO_APT_LISTS AUTO(apt_lists_free)
void apt_lists_free(struct apt_lists *lists);
enum host_status apt_lists_read(const struct host *host, struct apt_lists *ret_lists,
                                struct error *error);

/* How the last update of one suite ended. */
enum apt_update {
    UPDATE_NONE,     /* it was never tried, or its files were removed */
    UPDATE_WHOLE,    /* apt took its signed file */
    UPDATE_UNSIGNED, /* the file arrived, and no signature of it */
    UPDATE_STOPPED,  /* the signed file arrived, and apt went no further */
    UPDATE_REFUSED,  /* what arrived in its place is not a signed file */
};
struct apt_suite {
    enum apt_update update;
    char *path;             /* of the signed file; NULL: none */
    char *begins;           /* UPDATE_REFUSED: the first line of what arrived */
    struct strlist signers; /* IDs of keys */
    struct strlist weak;    /* those whose signature is of SHA-1 or MD5 */
    bool has_signature;
    char *stop; /* UPDATE_STOPPED: what apt refuses in the file itself, however it is signed: a
                 * field and its value; NULL: nothing */
};
#define AUTO_APT_SUITE AUTO(apt_suite_free)
void apt_suite_free(struct apt_suite *suite);
/* name is that of apt_list_name() for its directory; now: seconds since 1970. */
struct apt_suite apt_suite_read(const struct host *host, const struct apt_lists *lists,
                                const char *name, int64_t now);

/* An index that apt refused, or one that it cannot read. */
struct apt_index {
    char *path;
    bool refused;     /* its size or its hash was wrong */
    uint64_t arrived; /* bytes; of a refused one 0 when nothing was kept */
    int64_t expected; /* bytes by the signed file; -1: it does not say */
    bool page;        /* it begins like a page of the web */
    char *malformed;  /* the first line of a section that names no package; NULL: none */
};
#define AUTO_APT_INDEX AUTO(apt_index_free)
void apt_index_free(struct apt_index *index);
/* The first such index of the suite: true. flat: its indexes are read to their end. */
bool apt_index_find(const struct host *host, const struct apt_lists *lists, const char *name,
                    const struct apt_suite *suite, bool flat, struct apt_index *ret_index);

#endif
