/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PREFIX_PREFIX_H
#define INSTALL_PREFIX_PREFIX_H

#include <sys/types.h>

#include "install/io/image.h"
#include "install/ledger/ledger.h"

struct error;

/* A prefix: where a tree is, or is to be. Everything by directory handles, no link followed in its
 * last step. */
enum prefix_state {
    PREFIX_ABSENT,  /* nothing there, or an empty directory */
    PREFIX_OURS,    /* it has a ledger that can be read */
    PREFIX_FOREIGN, /* a directory that is not ours: never written into */
};
struct prefix {
    const struct image *image; /* where it is */
    char *path;                /* absolute, within the image */
    char *name;                /* its last step */
    int parent_fd;             /* the directory that holds it, with the lock */
    bool is_open;              /* parent_fd is */
    bool is_locked;
    enum prefix_state state;
    bool is_empty;        /* an empty directory is there: it is replaced */
    bool is_mount;        /* something is mounted there */
    uid_t owner;          /* of the empty directory */
    char *made;           /* the first directory above it that was made for it; NULL: none was */
    struct ledger ledger; /* PREFIX_OURS */
    dev_t ledger_device;  /* the file that it was read from */
    ino_t ledger_inode;
    bool is_leaving; /* PREFIX_OURS: an uninstall of it was begun, and not ended */
    bool is_pending; /* PREFIX_OURS: a change of it was begun, and not ended (pending.h) */
};
/* Takes away the empty directory of a ledger that is gone, which the end of an uninstall left. */
void prefix_clear_ledger(struct prefix *prefix);
/* Whether the ledger there is another file than the one that was read, or gone: another gpuenv has
 * changed the prefix since. */
bool prefix_has_changed(const struct prefix *prefix);
/* A change or an uninstall of it was begun, and not ended. */
bool prefix_is_unfinished(const struct prefix *prefix);
/* Refuses it for that, with what ends it. False. */
bool prefix_refuse_unfinished(const struct prefix *prefix, struct error *error);
/* The directory that holds it; free() it. */
char *prefix_parent(const struct prefix *prefix);
/* path is within image, which must outlive the prefix.
 * create: parent directories are made, for prefix_unmake() to take away again.
 * locked: an flock(2) on the parent directory, waited for as long as lock_timeout_s says;
 * ERROR_BUSY names the pid that holds it where /proc/locks tells. ERROR_CANNOT_WRITE for a prefix
 * that is a file or a link, whose parent everybody may write, and for "/". A parent that is not
 * there is PREFIX_ABSENT with parent_fd -1 where it is not to be made. */
bool prefix_open(const struct image *image, const char *path, bool create, bool locked,
                 unsigned lock_timeout_s, struct prefix *ret_prefix, struct error *error);
void prefix_close(struct prefix *prefix);
/* Whether a tree can get this name, in so far as that can be told before there is one: not where
 * something is mounted, nor over another user's directory that only that user can move. */
bool prefix_can_take(const struct prefix *prefix, struct error *error);
/* The directories above it that were made for it, when nothing came into them. */
void prefix_unmake(struct prefix *prefix);
/* The nearest directory above it that is there, for its file system; -1: none can be opened. */
int prefix_open_nearest(const struct prefix *prefix);

#endif
