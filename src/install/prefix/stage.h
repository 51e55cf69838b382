/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PREFIX_STAGE_H
#define INSTALL_PREFIX_STAGE_H

#include "install/prefix/prefix.h"

struct error;

/* How the names of stages begin: hidden, ours by their owner, beside the prefix. */
#define STAGE_PREFIX ".gpuenv-stage-"

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
