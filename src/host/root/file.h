/* SPDX-License-Identifier: MIT */
#ifndef HOST_ROOT_FILE_H
#define HOST_ROOT_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strlist.h"
#include "base/text.h"
#include "host/root/host.h"

/* How an attempt to look at a path ended. */
enum host_status {
    HOST_OK,
    HOST_ABSENT,  /* ENOENT, ENOTDIR: looked for, not there */
    HOST_DENIED,  /* EACCES, EPERM: this user may not look */
    HOST_FAILED,  /* anything else: wrong file type, I/O error, larger than the limit, loop */
    HOST_FOREIGN, /* below a tree's root, but on a kernel file system (proc, sysfs, devtmpfs,
                     cgroup …) of the machine gpuenv runs on: nothing of the tree */
};

enum host_type { HOST_REGULAR, HOST_DIRECTORY, HOST_LINK, HOST_CHARACTER, HOST_BLOCK, HOST_OTHER };

struct host_stat {
    enum host_type type;
    uint32_t mode; /* permission bits, 07777 */
    uint32_t user;
    uint32_t group;
    uint64_t size;                       /* bytes */
    uint32_t device_major, device_minor; /* of a device node */
    uint64_t file_system, inode;         /* together they name the file */
    int64_t modified;                    /* seconds since 1970 */
};

/* Every function resolves links inside the root (openat2(2) RESOLVE_IN_ROOT, by hand where the
 * kernel or a filter refuses it), never blocks on a FIFO and never opens a device node. error
 * may be NULL; it is filled whenever the status is not HOST_OK. */

/* Reads a regular file whole. More than max bytes is HOST_FAILED; /proc and /sys files, whose size
 * says nothing, are read to their end under the same limit. ret_text is replaced on HOST_OK. */
enum host_status host_read(const struct host *host, const char *path, size_t max,
                           struct text *ret_text, struct error *error);

/* The first size bytes (fewer when the file is shorter) of a file of any length. */
enum host_status host_read_head(const struct host *host, const char *path, size_t size,
                                struct text *ret_text, struct error *error);

/* The last size bytes of a file whose size is known (a log); *ret_cut: it has more before them. A
 * file that is being written may be read in part. */
enum host_status host_read_tail(const struct host *host, const char *path, size_t size,
                                struct text *ret_text, bool *ret_cut, struct error *error);

/* The file's text without white space at its ends: for one-line files of /proc, /sys and /etc
 * (at most 4096 bytes). The caller owns *ret_line. */
enum host_status host_read_line(const struct host *host, const char *path, char **ret_line,
                                struct error *error);

/* Opens a regular file for reading, O_CLOEXEC. The caller closes *ret_fd. */
enum host_status host_open(const struct host *host, const char *path, int *ret_fd,
                           struct error *error);

enum host_status host_stat(const struct host *host, const char *path, struct host_stat *ret_stat,
                           struct error *error); /* of what a link leads to */
enum host_status host_lstat(const struct host *host, const char *path, struct host_stat *ret_stat,
                            struct error *error);            /* of the link itself */
bool host_exists(const struct host *host, const char *path); /* host_stat() is HOST_OK */
bool host_is_directory(const struct host *host, const char *path);

/* True when the user could open path for reading and writing by its permission bits (access(2)). */
bool host_can_write(const struct host *host, const char *path);

/* The same, with the reason: 0, or the errno of access(2). For a device node EPERM is the device
 * cgroup's word, EACCES that of its permission bits or of a security module. ENOENT and the like
 * when it is not there. */
int host_refusal(const struct host *host, const char *path);

/* The security label that SELinux keeps with a file (xattr security.selinux): HOST_ABSENT when it
 * has none. The caller owns *ret_label. */
enum host_status host_read_label(const struct host *host, const char *path, char **ret_label,
                                 struct error *error);
bool host_can_execute(const struct host *host, const char *path);

/* The text of a symbolic link, as it stands. The caller owns *ret_target. */
enum host_status host_read_link(const struct host *host, const char *path, char **ret_target,
                                struct error *error);

/* The path within the root without links, "." and "..". The caller owns *ret_path. */
enum host_status host_real_path(const struct host *host, const char *path, char **ret_path,
                                struct error *error);

/* Adds the names in a directory, sorted, without "." and "..": at most HOST_LIST_MAX, more is
 * HOST_FAILED. */
#define HOST_LIST_MAX 100000
enum host_status host_list(const struct host *host, const char *path, struct strlist *names,
                           struct error *error);

/* Tells visit of the text of each symbolic link in a directory, in the directory's own order, until
 * it returns false: one call for each, for /proc/PID/fd, of which a server has thousands. What is
 * no link, or cannot be read, is passed over. */
enum host_status host_each_link(const struct host *host, const char *path,
                                bool (*visit)(const char *target, void *data), void *data,
                                struct error *error);

/* Adds the paths that match pattern, sorted. Each component may hold the wildcards of fnmatch(3)
 * (FNM_PERIOD); a component without any is taken literally. Directories that cannot be read match
 * nothing. */
void host_glob(const struct host *host, const char *pattern, struct strlist *paths);

/* Space of the file system that holds path (or its nearest existing parent), in bytes.
 * Live machine only: HOST_FOREIGN on a tree. */
enum host_status host_space(const struct host *host, const char *path, uint64_t *ret_total,
                            uint64_t *ret_available, struct error *error);

#endif
