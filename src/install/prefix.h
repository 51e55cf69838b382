/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PREFIX_H
#define INSTALL_PREFIX_H

#include "install/ledger.h"

/* A prefix: where a tree is, or is to be. Everything by directory handles, no link followed in its
 * last step. */
enum prefix_state {
    PREFIX_ABSENT,  /* nothing there, or an empty directory */
    PREFIX_OURS,    /* it has a ledger that can be read */
    PREFIX_FOREIGN, /* a directory that is not ours: never written into */
};
struct prefix {
    char *path;    /* absolute */
    char *name;    /* its last step */
    int parent_fd; /* the directory that holds it, with the lock */
    bool is_open;  /* parent_fd is */
    enum prefix_state state;
    bool is_empty;        /* an empty directory is there: it is replaced */
    struct ledger ledger; /* PREFIX_OURS */
};
const char *prefix_state_word(enum prefix_state state);
/* create: parent directories are made.
 * locked: an flock(2) on the parent directory, waited for as long as lock_timeout_s says;
 * ERROR_BUSY names the pid that holds it where /proc/locks tells. ERROR_CANNOT_WRITE for a prefix
 * that is a file or a link, whose parent everybody may write, and for "/". A parent that is not
 * there is PREFIX_ABSENT with parent_fd -1 where it is not to be made. */
bool prefix_open(const char *path, bool create, bool locked, unsigned lock_timeout_s,
                 struct prefix *ret_prefix, struct error *error);
void prefix_close(struct prefix *prefix);

/* A new tree beside the prefix, with a name that cannot be guessed, 0700. Those that killed runs
 * left for this prefix are removed first (they are ours: owner, name, marker). */
struct stage {
    int fd;
    char *name;
    const struct prefix *prefix;
};
bool stage_open(const struct prefix *prefix, struct stage *ret_stage, struct error *error);
/* Removes what is still staged. */
void stage_close(struct stage *stage);
/* tree (a directory of the stage) becomes the prefix: everything is synced, it is renamed, the
 * parent is synced. */
bool stage_commit(struct stage *stage, const char *tree, struct error *error);

#endif
