/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PREFIX_H
#define INSTALL_PREFIX_H

#include <sys/types.h>

#include "install/image.h"
#include "install/ledger.h"

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

/* A new tree beside the prefix, with a name that cannot be guessed, 0700. Those that killed runs
 * left for this prefix are removed first (they are ours: owner, name, marker). */
struct stage {
    int fd;
    int holder_fd; /* the directory that it is in: the parent's, or its own */
    bool is_inside;
    char *name;
    const struct prefix *prefix;
};
bool stage_open(const struct prefix *prefix, struct stage *ret_stage, struct error *error);
/* The same in PREFIX/.gpuenv, for what is to be moved into the prefix file by file. */
bool stage_open_inside(const struct prefix *prefix, struct stage *ret_stage, struct error *error);
/* Moves one beside the prefix into it. */
bool stage_move_inside(struct stage *stage, struct error *error);
/* A name for a directory beside the prefix that the next run takes away; NULL: error is filled. */
char *stage_name(const struct prefix *prefix, struct error *error);
/* PREFIX/.gpuenv; -1: error is filled. */
int stage_open_holder(const struct prefix *prefix, struct error *error);
/* Whether its file system can hold a tree: links above all. */
bool stage_can_hold(const struct stage *stage, struct error *error);
/* Removes what killed runs left, and nothing more. */
bool stage_clear(const struct prefix *prefix, struct error *error);
/* Removes what is still staged, as far as it can be, and closes it. */
bool stage_remove(struct stage *stage, struct error *error);
/* The same where nobody is told. */
void stage_close(struct stage *stage);
/* Closes it and leaves what is in it, for the next run to remove: what was the prefix, while the
 * disk does not confirm that it is not any more. */
void stage_leave(struct stage *stage);
/* tree (a directory of the stage) becomes the prefix: everything is synced, it is renamed, the
 * parent is synced. */
bool stage_commit(struct stage *stage, const char *tree, struct error *error);
/* Fills error, by errno: the tree has its name, and that could not be synced. False. */
bool stage_cannot_sync(const struct prefix *prefix, struct error *error);

#endif
