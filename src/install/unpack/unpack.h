/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_UNPACK_UNPACK_H
#define INSTALL_UNPACK_UNPACK_H

#include "base/strlist.h"
#include "host/child/confine_unpacker.h"
#include "install/io/digest.h"

#include <sys/types.h>

struct error;

/* One archive, verified and unpacked by a child that can do nothing else: no network, no
 * capability, no write outside its directory (Landlock, seccomp, no_new_privs where the kernel has
 * them), bounded memory. The child hashes the open file to its end, and only when size and digest
 * are right does it parse the first byte, from the same descriptor. What it refuses:
 * docs/background/security.md.
 */

enum unpack_format { UNPACK_TAR_XZ, UNPACK_TAR_GZ, UNPACK_ZIP, UNPACK_RUNFILE, UNPACK_TAR };
/* By the catalog's name of the file, never by its bytes; false: a format that is not read. */
bool unpack_format_of(const char *path, enum unpack_format *ret_format);

struct unpack_limits {
    uint64_t files;      /* members, and the directories that they imply */
    uint64_t bytes;      /* of all files */
    unsigned ratio;      /* bytes unpacked to each one packed; the first 16 MiB are free */
    uint64_t dictionary; /* of xz, in bytes */
};
extern const struct unpack_limits unpack_limits_default;

/* Where the members of an archive go that is not made for a prefix: patterns and places as in
 * manifests/legacy.json (manifest/toolkit/legacy.h, struct manifest_layout). A member that no place
 * is for is read and left out. */
struct unpack_places {
    const char *nested;             /* the runfile inside that has the members; NULL: none */
    const struct strlist *left_out; /* patterns */
    const struct strlist *places;   /* "FROM -> TO" */
    const char *target;             /* what {target} stands for: "x86_64-linux" */
};

struct unpack_job {
    int archive_fd;   /* regular, not writable by others */
    const char *name; /* of the archive, for messages */
    enum unpack_format format;
    uint64_t size;
    struct digest sha256;
    const char *top; /* the one directory that all members must be in; it is stripped. NULL: there
                        is none, and places says what to do */
    const struct unpack_places *places; /* NULL: all members go where they are */
    int directory_fd;                   /* empty directory that takes the tree */
    struct unpack_limits limits;
    /* Called in the child. Members that are not kept are read and checked, and not written; a link
     * to one is left out with it. NULL: all are kept. */
    bool (*keeps)(const void *context, const char *path, bool is_directory);
    const void *context;
};

enum unpack_type { UNPACK_FILE, UNPACK_DIRECTORY, UNPACK_LINK };
/* One member as it now lies in the directory. */
struct unpack_member {
    char *path; /* within the component's tree: "lib/libcudart.so.12.8.90" */
    enum unpack_type type;
    unsigned mode; /* of files 0755 or 0644, of directories 0755, of links 0 */
    uint64_t size;
    struct digest sha256; /* UNPACK_FILE; a hard link is a file with the bytes of its target */
    char *target;         /* UNPACK_LINK: relative, inward */
};
struct unpack_result {
    struct unpack_member *members; /* sorted by path (strcmp); a directory before what is in it */
    size_t count, capacity;
    struct unpacker_cage cage; /* what the kernel had to confine the child with */
    bool digest_differs;       /* with found: the file is not the one wanted, nothing was parsed */
    struct digest found;
    uint64_t found_size;
};
void unpack_result_free(struct unpack_result *result);

/* A running child. fd can be polled: it is readable when there is something to take. */
struct unpack;
/* Only in a process with one thread. What job points to must last for this call alone. NULL and a
 * filled error when no child could be started. */
struct unpack *unpack_start(const struct unpack_job *job, struct error *error);
int unpack_fd(const struct unpack *unpack);
/* Takes what is there. False while it runs. True when it has ended: *ret_ok tells how. When it is
 * false, either ret_result->digest_differs is set, or error is filled: ERROR_DATA naming the
 * archive and the member, ERROR_NO_INPUT, ERROR_CANNOT_WRITE, ERROR_INTERNAL; a crash is
 * ERROR_DATA, memory that ran out ERROR_INTERNAL. What lies in the directory then is the caller's
 * to remove. *ret_result is to be {0} and to be freed. */
bool unpack_take(struct unpack *unpack, bool *ret_ok, struct unpack_result *ret_result,
                 struct error *error);
void unpack_free(struct unpack *unpack); /* kills the child when it still runs; NULL is fine */

#endif
