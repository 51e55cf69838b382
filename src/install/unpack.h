/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_UNPACK_H
#define INSTALL_UNPACK_H

#include "install/digest.h"

#include <sys/types.h>

/* One archive, verified and unpacked by a child that can do nothing else: no network, no
 * capability, no write outside its directory (Landlock, seccomp, no_new_privs where the kernel has
 * them), bounded memory. The child hashes the open file to its end, and only when size and digest
 * are right does it parse the first byte, from the same descriptor. */

enum unpack_format { UNPACK_TAR_XZ, UNPACK_TAR_GZ, UNPACK_ZIP };
/* By the catalog's name of the file, never by its bytes; false: a format that is not read. */
bool unpack_format_of(const char *path, enum unpack_format *ret_format);

struct unpack_limits {
    uint64_t files;      /* members */
    uint64_t bytes;      /* of all files */
    unsigned ratio;      /* bytes unpacked to each one packed */
    uint64_t dictionary; /* of xz, in bytes */
};
extern const struct unpack_limits unpack_limits_default;

struct unpack_job {
    int archive_fd;   /* regular, not writable by others */
    const char *name; /* of the archive, for messages */
    enum unpack_format format;
    uint64_t size;
    struct digest sha256;
    const char *top;  /* the one directory that all members must be in; it is stripped */
    int directory_fd; /* empty directory that takes the tree */
    struct unpack_limits limits;
    bool (*keeps)(const void *context, const char *path, bool is_directory); /* NULL: all */
    const void *context;
};

enum unpack_type { UNPACK_FILE, UNPACK_DIRECTORY, UNPACK_LINK };
/* One member as it now lies in the directory. */
struct unpack_member {
    char *path; /* within the component's tree: "lib/libcudart.so.12.8.90" */
    enum unpack_type type;
    unsigned mode; /* 0755 or 0644 */
    uint64_t size;
    struct digest sha256; /* UNPACK_FILE; a hard link is a file with the bytes of its target */
    char *target;         /* UNPACK_LINK: relative, inward */
};
struct unpack_result {
    struct unpack_member *members; /* sorted by path */
    size_t count, capacity;
    bool digest_differs; /* with found: the file is not the one wanted, nothing was parsed */
    struct digest found;
};
void unpack_result_free(struct unpack_result *result);

/* A running child. fd can be polled: it is readable when there is something to take. */
struct unpack;
struct unpack *unpack_start(const struct unpack_job *job, struct error *error);
int unpack_fd(const struct unpack *unpack);
/* Takes what is there. False while it runs. True when it has ended: *ret_ok tells how; on failure
 * error is filled: ERROR_DATA naming the archive and the member, ERROR_CANNOT_WRITE, or a crash. */
bool unpack_take(struct unpack *unpack, bool *ret_ok, struct unpack_result *ret_result,
                 struct error *error);
void unpack_free(struct unpack *unpack); /* kills the child when it still runs */

#endif
