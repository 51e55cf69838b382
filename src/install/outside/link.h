/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_OUTSIDE_LINK_H
#define INSTALL_OUTSIDE_LINK_H

#include "install/prefix/prefix.h"
#include "install/ledger/request.h"

struct error;

/* The link that names the installation in use: /usr/local/cuda, or a user's own. It is replaced by
 * one rename, so that it always leads somewhere; where update-alternatives owns it, by that. */
struct link_change {
    char *path;        /* of the link */
    char *target;      /* the prefix */
    char *before;      /* what the link said; NULL: it was not there */
    char *group;       /* of update-alternatives; NULL: a plain link */
    char *leads_to;    /* what it led to, free of links; NULL: nowhere */
    char *now;         /* what it leads to after link_forget(): update-alternatives chose that */
    bool has_changed;  /* it was set, or would be */
    bool needs_parent; /* the directory that is to hold it is not there */
};
#define AUTO_LINK_CHANGE AUTO(link_change_free)
void link_change_free(struct link_change *change);

/* What setting the link to prefix would do. ERROR_CANNOT_WRITE: something else than a link is
 * there, or one that leads to what gpuenv did not install, without force. */
bool link_look(const struct prefix *prefix, const char *path, bool force,
               struct link_change *ret_change, struct error *error);
/* Does it, under the lock of the directory that holds the link; prefix must be locked. */
bool link_set(const struct prefix *prefix, const char *path, bool force, unsigned lock_timeout_s,
              struct link_change *ret_change, struct error *error);
/* Takes the link away where it leads to prefix, which is about to go. Another one stays, and is no
 * error. update-alternatives may let it lead to another CUDA: ret_change->now. */
bool link_forget(const struct prefix *prefix, const char *path, unsigned lock_timeout_s,
                 struct link_change *ret_change, struct error *error);

#endif
