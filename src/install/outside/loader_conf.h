/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_OUTSIDE_LOADER_CONF_H
#define INSTALL_OUTSIDE_LOADER_CONF_H

#include "install/prefix/prefix.h"

struct error;

/* PREFIX/lib in the loader's configuration: /etc/ld.so.conf.d/gpuenv-….conf, whose name and first
 * line are made of the prefix, and which uninstall finds again by both; then ldconfig(8), in an
 * image the machine's own with -r. Only on request. */
struct loader_conf {
    char *path;       /* of the file; NULL: not asked for */
    bool has_changed; /* it was written or taken away, or would be */
};
void loader_conf_free(struct loader_conf *conf);

/* What loader_conf_add() would do. ERROR_CANNOT_WRITE, ERROR_PERMISSION: it could not. */
bool loader_conf_look(const struct prefix *prefix, struct loader_conf *ret_conf,
                      struct error *error);
/* The prefix must be locked. */
bool loader_conf_add(const struct prefix *prefix, struct loader_conf *ret_conf,
                     struct error *error);
/* Takes the file away, and what ldconfig knows of the prefix. None is no error. */
bool loader_conf_remove(const struct prefix *prefix, struct loader_conf *ret_conf,
                        struct error *error);

#endif
