/* SPDX-License-Identifier: MIT */
#ifndef PROBE_SYSTEM_DPKG_H
#define PROBE_SYSTEM_DPKG_H

#include "host/root/file.h"

struct error;

/* One paragraph of a dpkg database (deb-control(5)). A field that is not there is NULL. */
struct dpkg_package {
    const char *name;
    const char *version;
    const char *architecture;
    const char
        *status; /* "install ok installed"; NULL in a distroless image, whose packages all are */
    const char *depends, *pre_depends, *provides;
    const char *size; /* of an index: that of the .deb file, in bytes */
    const char *path; /* the file it stands in */
};

/* Where the databases are: one file, or (distroless images) a directory with a file per package. */
#define DPKG_STATUS           "/var/lib/dpkg/status"
#define DPKG_STATUS_DIRECTORY "/var/lib/dpkg/status.d"

/* Calls each() for every package that has a name and adds their number to *ret_count. The strings
 * live until each() returns. HOST_ABSENT when neither database is there; on HOST_FAILED each() may
 * have been called for some. */
enum host_status dpkg_each(const struct host *host,
                           void (*each)(const struct dpkg_package *package, void *data), void *data,
                           size_t *ret_count, struct error *error);

/* The same for the text of one file, which it cuts up (NULL: empty): a database, or the index of a
 * repository, which has the same form. path is what the packages get. Returns their number. */
size_t dpkg_each_paragraph(char *text, const char *path,
                           void (*each)(const struct dpkg_package *package, void *data),
                           void *data);

/* Pre-Depends and Depends as one field's value. free() it. */
char *dpkg_all_depends(const struct dpkg_package *package);

/* The last word of its status: "installed", "unpacked"; "installed" where it has none. */
const char *dpkg_state(const struct dpkg_package *package);

/* True when the package's files are on the system, in whatever state. */
bool dpkg_is_present(const struct dpkg_package *package);

/* True when dpkg is told to keep the package as it is (apt-mark hold). */
bool dpkg_is_held(const struct dpkg_package *package);

#endif
