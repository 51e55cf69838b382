/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PREFIX_LAYOUT_H
#define INSTALL_PREFIX_LAYOUT_H

#include "install/ledger/ledger.h"
#include "install/plan/plan.h"
#include "install/unpack/unpack.h"

struct error;

/* How unpacked components become one tree that nvcc, CMake's FindCUDAToolkit and pkg-config
 * understand. */
struct layout;

/* tree_fd: the empty directory that becomes the prefix; final_path: what it will be called. */
struct layout *layout_new(int tree_fd, const char *final_path);
void layout_free(struct layout *layout);

/* What the prefix has and keeps: files that are not in tree_fd, with the owners that keep them.
 * Takes them out of kept. */
void layout_keep(struct layout *layout, struct ledger *kept);

/* Before the first layout_add(), after layout_keep(): says what is to come, so that what joins a
 * toolkit goes where that has its headers and libraries. */
void layout_lead(struct layout *layout, const struct plan *plan);

/* Moves the members of one component from from_fd into the tree. LICENSE goes to
 * share/licenses/COMPONENT/, pkg-config/ to lib/pkgconfig/; lib/stubs stays where it is. The same
 * path from two components: equal bytes become one file owned by both, else ERROR_DATA naming
 * both. */
bool layout_add(struct layout *layout, int from_fd, const struct plan_item *item,
                const struct unpack_result *result, struct error *error);
/* lib64 -> lib, version.json of a CUDA toolkit, the final prefix in .pc files; adds the ledger's
 * files, sorted. */
bool layout_finish(struct layout *layout, const struct plan *plan, struct ledger *ledger,
                   struct error *error);

#endif
