/* SPDX-License-Identifier: MIT */
#ifndef PROBE_SYSTEM_DIVERSIONS_H
#define PROBE_SYSTEM_DIVERSIONS_H

#include "host/root/file.h"

struct error;

/* dpkg's diversions (dpkg-divert(1)): a path at which dpkg does not put the files of packages, but
 * at another one, except for those of one package. */

#define DIVERSIONS "/var/lib/dpkg/diversions"

struct diversion {
    char *path, *to;
    char *by; /* whose files keep the path; ":" for none: the administrator's (--local) */
};

/* Start with {0}. */
struct diversions {
    struct diversion *items;
    size_t count, capacity;
};
#define AUTO_DIVERSIONS AUTO(diversions_free)

/* HOST_ABSENT where dpkg has no such file. */
enum host_status diversions_read(const struct host *host, struct diversions *diversions,
                                 struct error *error);
void diversions_free(struct diversions *diversions);

/* Where dpkg puts the file that a package has at that path. */
const char *diversions_place(const struct diversions *diversions, const char *package,
                             const char *path);

#endif
