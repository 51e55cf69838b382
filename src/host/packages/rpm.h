/* SPDX-License-Identifier: MIT */
#ifndef HOST_PACKAGES_RPM_H
#define HOST_PACKAGES_RPM_H

#include "host/packages/rpm_header.h"
#include "host/root/file.h"

/* What rpm has installed, of whichever database the system has. */

struct rpm_package {
    const char *name;
    const char *version;      /* "570.86.15-1.el9"; a release behind the hyphen, no epoch */
    const char *architecture; /* NULL: it has none, as a key has */
    const char *vendor;       /* NULL: not said */
    const char *module;       /* "nvidia-driver:570-dkms:…", NULL: of no module */
    uint32_t epoch;           /* 0: none */
    const char *path;         /* the database */
    const struct rpm_header *header;
};

/* What is looked for: packages whose name wants() takes, given to each(). The strings live until
 * each() returns. */
struct rpm_search {
    bool (*wants)(const char *name);
    void (*each)(const struct rpm_package *package, void *data);
    void *data;
};

/* *ret_count: all packages, wanted or not; *ret_path (static): the database that was read.
 * HOST_ABSENT when there is none. On HOST_FAILED each() may have been called for some. */
enum host_status rpm_each(const struct host *host, const struct rpm_search *search,
                          size_t *ret_count, const char **ret_path, struct error *error);

#endif
