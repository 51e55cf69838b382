/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PREFIX_LAYOUT_PRIVATE_H
#define INSTALL_PREFIX_LAYOUT_PRIVATE_H

#include "install/prefix/layout.h"
#include "install/io/tree.h"

struct error;

/* Private to layout*.c. */
struct layout {
    int fd;              /* of the tree */
    char *path;          /* what it will be called */
    void *files;         /* tsearch(3) tree of struct ledger_file, by path */
    char *include, *lib; /* where the toolkit has its headers and libraries */
    struct tree_cursor to;
};

/* The owner of what the layout itself adds. */
#define LAYOUT_OWNER LEDGER_OWN

struct ledger_file *layout_file(struct layout *layout, const char *path); /* NULL: not there */
struct ledger_file *layout_file_add(struct layout *layout, const char *path, enum ledger_type type,
                                    const char *owner);
void layout_file_drop(struct layout *layout, const char *path);
/* The directories that hold path, each owned by whoever needs it. */
bool layout_add_parents(struct layout *layout, const char *path, const char *owner,
                        struct error *error);
/* A new file with these bytes, in its directories. */
bool layout_write(struct layout *layout, const char *path, const char *owner,
                  const struct text *text, struct error *error);
/* A file for pkg-config, where the component's row asks for one and its archive has none
 * (layout_pc.c). */
bool layout_add_pc(struct layout *layout, const struct plan_item *item, const char *owner,
                   struct error *error);

/* Where a member goes that is to lie at path: beside those of the toolkit. free() it. */
char *layout_led(const struct layout *layout, const struct plan_item *item, const char *path);

bool layout_add_lib64(struct layout *layout, struct error *error);
bool layout_add_version(struct layout *layout, const struct plan *plan, struct error *error);
/* The links of an item's layout that its archive does not have. */
bool layout_add_links(struct layout *layout, const struct plan_item *item, const char *owner,
                      struct error *error);
/* Whether path is a .pc file of the tree: these name the prefix. */
bool layout_is_pc(const char *path);
/* Lets a .pc file that was unpacked say where the tree will be; member then tells of the new one.
 */
bool layout_rewrite_pc(const struct layout *layout, int parent_fd, const char *name,
                       struct unpack_member *member, struct error *error);
/* Lets a link that was unpacked lead to target; path is where it will be. */
bool layout_rewrite_link(int parent_fd, const char *name, const char *target, const char *path,
                         struct error *error);

#endif
