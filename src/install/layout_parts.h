/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_LAYOUT_PARTS_H
#define INSTALL_LAYOUT_PARTS_H

#include "install/layout.h"
#include "install/tree.h"

/* Private to layout*.c. */
struct layout {
    int fd;      /* of the tree */
    char *path;  /* what it will be called */
    void *files; /* tsearch(3) tree of struct ledger_file, by path */
    struct tree_cursor to;
};

/* The owner of what the layout itself adds. */
#define LAYOUT_OWNER "gpuenv"

struct ledger_file *layout_file(struct layout *layout, const char *path); /* NULL: not there */
struct ledger_file *layout_file_add(struct layout *layout, const char *path, enum ledger_type type,
                                    const char *owner);

bool layout_add_lib64(struct layout *layout, struct error *error);
bool layout_add_version_json(struct layout *layout, const struct plan *plan, struct error *error);
bool layout_rewrite_pc_files(struct layout *layout, struct error *error);

#endif
