/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_IO_RENAME_H
#define INSTALL_IO_RENAME_H

/* What rename(2) cannot do: renameat2(2) by its number, since glibc before 2.28 has no function for
 * it. The kernel has it since Linux 3.15; each file system knows the flags since a version of its
 * own. */

/* Renames from to to, which must not be there: EEXIST when it is. Where kernel or file system do
 * not know the flag (ENOSYS, EINVAL), a file is linked and its old name removed, and where hard
 * links are refused, or for a directory, the name is looked at first: what comes there in that
 * moment is replaced, if it is no directory with entries. 0, or -1 with errno. */
int rename_to_new(int from_fd, const char *from, int to_fd, const char *to);

/* The two names change places at once. 0, or -1 with errno; ENOSYS and EINVAL where that cannot be
 * done. */
int rename_exchange(int one_fd, const char *one, int other_fd, const char *other);

#endif
