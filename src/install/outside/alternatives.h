/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_OUTSIDE_ALTERNATIVES_H
#define INSTALL_OUTSIDE_ALTERNATIVES_H

#include "install/io/image.h"

struct error;

/* update-alternatives(1) of Debian, and alternatives(8) of Fedora and its kin, where one of their
 * groups owns a link. A group is a file in /var/lib/dpkg/alternatives or /var/lib/alternatives: its
 * first line is "auto" or "manual", its second the link (dpkg, utils/update-alternatives.c,
 * alternative_load()). */

/* The name of the group that owns the link; free() it. NULL: none does. */
char *alternatives_group(const struct image *image, const char *link);

/* Registers prefix and chooses it. In an image, of which nothing is run: ERROR_CANNOT_WRITE with
 * the commands. */
bool alternatives_choose(const struct image *image, const char *group, const char *link,
                         const char *prefix, unsigned priority, struct error *error);
/* Takes prefix out of the group. */
bool alternatives_remove(const struct image *image, const char *group, const char *prefix,
                         struct error *error);

#endif
