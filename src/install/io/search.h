/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_IO_SEARCH_H
#define INSTALL_IO_SEARCH_H

/* Visits each item of a tsearch(3) tree in its order, with the caller's data: twalk_r(3) does, in
 * glibc since 2.30. compare is the tree's own. visit may change the item, also its key; items stay
 * where they are. */
void search_walk(void *const *root, int (*compare)(const void *one, const void *other),
                 void (*visit)(void *item, void *data), void *data);

#endif
