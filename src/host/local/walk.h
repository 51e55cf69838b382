/* SPDX-License-Identifier: MIT */
#ifndef HOST_LOCAL_WALK_H
#define HOST_LOCAL_WALK_H

#include <sys/stat.h>

#include "base/error.h"

/* The way to a directory that this process writes to, step by step and by handles: what another
 * user can change leads nothing of root's elsewhere.
 *
 * Run as root, a link is followed only when root owns it, in a directory that only root can change.
 * From a directory on that another user owns or can change (a home, /opt of a group) everything
 * stays below it: directories alone are entered, each by its handle, and no link is followed.
 *
 * Run by a user, links are followed as the kernel follows them with fs.protected_symlinks, whatever
 * that is set to: not those of others in a directory like /tmp. */

enum walk_making {
    WALK_MAKES_NOTHING,
    WALK_MAKES,         /* what is missing, with the mode of the rules */
    WALK_MAKES_OWN_ONLY /* likewise, but root makes nothing in a directory of another user */
};
struct walk_rules {
    enum walk_making making;
    mode_t mode;
    bool own_links; /* a user, too, follows none but its own links and root's */
};

struct walk_end {
    int fd;           /* of the directory, O_PATH; the caller's; -1: not opened */
    bool is_confined; /* another user can change what leads to it */
    bool is_refused;  /* not opened, by the rules above; error says why */
    int number;       /* not opened: errno otherwise */
};

/* path may be relative, to the directory of the process. False: error (which may be NULL) says what
 * and where: ERROR_CANNOT_WRITE, for EACCES and EPERM ERROR_PERMISSION; errno is ret_end->number.
 */
bool walk_to(const char *path, const struct walk_rules *rules, struct walk_end *ret_end,
             struct error *error);

/* Whether a link of that status in the directory at the end may be followed. NULL: it may; else why
 * not. */
const char *walk_why_not(const struct walk_end *end, const struct stat *link);

/* The same directory, opened for reading. -1: errno and error as from walk_to(). */
int walk_open(const char *path, const struct walk_rules *rules, struct error *error);

#endif
