/* SPDX-License-Identifier: MIT */
#ifndef HOST_PACKAGES_PACMAN_H
#define HOST_PACKAGES_PACMAN_H

#include <stddef.h>

#include "host/root/file.h"

/* What pacman has installed: a directory for each package (libalpm's be_local.c). */
#define PACMAN_LOCAL "/var/lib/pacman/local"

struct pacman_package {
    const char *name;
    const char *version;      /* "570.86.15-1": a release behind the hyphen, perhaps "1:" before */
    const char *architecture; /* NULL: not said */
    const char *directory;    /* "/var/lib/pacman/local/nvidia-utils-570.86.15-1" */
};

/* Calls each() with every line of the sections in text, which it cuts up (NULL: empty): "%NAME%"
 * and the lines up to an empty one. Databases of repositories have the same files. */
void pacman_each_line(char *text, void (*each)(const char *section, const char *line, void *data),
                      void *data);

/* Calls each() for every package whose name wants() takes, and adds the number of all packages to
 * *ret_count. The strings live until each() returns. HOST_ABSENT when there is no database; on
 * HOST_FAILED each() may have been called for some. */
enum host_status pacman_each(const struct host *host, bool (*wants)(const char *name),
                             void (*each)(const struct pacman_package *package, void *data),
                             void *data, size_t *ret_count, struct error *error);

/* Calls each() with the path of every file and directory of a package; a directory's path has a
 * "/" at its end. */
enum host_status pacman_files(const struct host *host, const struct pacman_package *package,
                              void (*each)(const char *path, void *data), void *data,
                              struct error *error);

#endif
