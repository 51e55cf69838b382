/* SPDX-License-Identifier: MIT */
#ifndef HOST_ROOT_ROOT_H
#define HOST_ROOT_ROOT_H

/* What the files of host/ share about a root and hide from other rooms. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "host/root/file.h"
#include "host/root/host.h"

struct host_variable {
    char *name;
    char *value;
};

struct host {
    char *root;
    int fd; /* the root, O_PATH */
    dev_t file_system;
    bool live;
    uint64_t deadline_ms; /* 0: none */
    bool openat2;         /* try openat2(2); false, in tests: links are resolved by hand */
    struct host_variable *variables; /* of a tree */
    size_t variable_count, variable_capacity;
};

/* One object of a root, found but not opened for reading. Start with {.fd = -1}. */
struct root_object {
    int fd; /* O_PATH */
    struct stat stat;
};

#define AUTO_OBJECT AUTO(root_object_close)

/* Finds path. follow: what a link at its end leads to, else the link itself. The caller closes
 * the object, whatever the status. error's what is "cannot VERB". */
enum host_status root_find(const struct host *host, const char *path, bool follow, const char *verb,
                           struct root_object *ret_object, struct error *error);
void root_object_close(struct root_object *object);

/* The path of path within the root of a tree, free of links; the same statuses. */
enum host_status root_canonical(const struct host *host, const char *path, char **ret_path,
                                struct error *error);

/* Opens for reading the directory that holds the object at path, walked by hand, with the last
 * name in *ret_name: for reopening a file where there is no /proc. Returns 0 or an errno. */
int root_parent(const struct host *host, const char *path, int *ret_fd, char **ret_name);

/* HOST_FAILED once host_is_late(), else HOST_OK: what every look begins with. */
enum host_status root_in_time(const struct host *host, const char *verb, const char *path,
                              struct error *error);

/* The status that an errno stands for; fills error ("cannot VERB", path, strerror). */
enum host_status root_fail(struct error *error, int number, const char *verb, const char *path);

/* HOST_FAILED with a reason that is not an errno. */
enum host_status root_refuse(struct error *error, const char *verb, const char *path,
                             const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The name in /proc that reopens an object, whatever its path means by now. */
#define ROOT_SELF_FD_SIZE 40
const char *root_self_fd(int fd, char buffer[static ROOT_SELF_FD_SIZE]);

#endif
