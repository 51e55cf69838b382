/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PREFIX_EXCHANGE_H
#define INSTALL_PREFIX_EXCHANGE_H

#include "install/prefix/prefix.h"

struct error;
struct stage;
struct strlist;

/* A prefix and a whole tree that is to take its place change names (RENAME_EXCHANGE). The new tree
 * shares every file that stays with the old one, by hard links: also what is not gpuenv's, with its
 * mode, owner, extended attributes and time. */

/* Tried with two empty directories beside the prefix, which are gone afterwards; and where a file
 * system has directories that cannot be renamed (lower layers of an overlay), whether the prefix is
 * one, by a rename that must fail. NULL: directories can be exchanged; else why not; free() it. */
char *exchange_why_not(const struct prefix *prefix);

/* What is to be in the new tree. */
struct exchange {
    const struct prefix *prefix;
    const struct ledger *next;   /* rows with is_there are linked */
    const struct strlist *stays; /* files that were changed by hand, and are nobody's from now on */
};
/* Makes "tree" in the stage: of what the prefix has, and of what lies in "new" there, which stays.
 * False: error is filled; *ret_not_linked when the file system refused a link or an attribute, so
 * that another way can be taken. */
bool exchange_assemble(const struct exchange *exchange, const struct stage *stage,
                       bool *ret_not_linked, struct error *error);
enum exchange_result {
    EXCHANGE_DONE,
    EXCHANGE_UNCONFIRMED, /* done, and the disk does not confirm it: the old tree is to stay */
    EXCHANGE_REFUSED,     /* nothing was changed, and another way may do */
    EXCHANGE_FAILED,      /* nothing was changed */
};
/* Everything is synced, "tree" and the prefix are exchanged, the directory is synced. The old tree
 * is then in the stage. error is filled with all results but the first. */
enum exchange_result exchange_commit(const struct stage *stage, struct error *error);
/* Whether the new tree is to have what the prefix has at path, as it is: all that is not gpuenv's,
 * what stays, and what next has with is_there. */
bool exchange_is_wanted(const struct exchange *what, const char *path);
/* Gives a directory the owner, mode, times and extended attributes of another one. False: errno. */
bool exchange_copy_status(int from, int to);

#endif
