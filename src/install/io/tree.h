/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_IO_TREE_H
#define INSTALL_IO_TREE_H

#include "base/error.h"
#include "base/strlist.h"

/* Directories by their handles: no link is followed in the last step of a path. */

/* Removes what is called name in parent_fd, a tree too, whatever its modes are. What is not there
 * is no error. where is what errors call parent_fd. */
bool tree_remove(int parent_fd, const char *name, const char *where, struct error *error);

/* The names in a directory, sorted, without "." and "..". */
bool tree_list(int fd, const char *where, struct strlist *names, struct error *error);

/* Opens the directory at path below fd, step by step: a link on the way is an error. With make,
 * what is missing is made, 0755. -1: error is filled (ERROR_NO_INPUT, ERROR_CANNOT_WRITE), and
 * errno is of the call that failed. path "" is fd itself, opened again. */
int tree_open(int fd, const char *path, bool make, const char *where, struct error *error);

/* The same for the directory that holds path; *ret_name is the last step, within path. */
int tree_open_parent(int fd, const char *path, bool make, const char *where, const char **ret_name,
                     struct error *error);

/* Whether errno, of opening the directory that holds a path (parent -1) or of a call on the path in
 * it, says that there is no such path: not there, or below what is not a directory. */
bool tree_is_gone(int number, int parent);

/* The same for many paths, most of them in the directory of the one before. Start with
 * {.root = fd, .fd = -1}. What tree_cursor_open() returns stays the cursor's. */
struct tree_cursor {
    int root;
    char *parent; /* of the path before */
    int fd;       /* of parent; -1: none */
};
int tree_cursor_open(struct tree_cursor *cursor, const char *path, bool make, const char *where,
                     const char **ret_name, struct error *error);
void tree_cursor_close(struct tree_cursor *cursor);

#endif
