/* SPDX-License-Identifier: MIT */
#ifndef PROBE_PLACES_HOME_H
#define PROBE_PLACES_HOME_H

#include "base/strlist.h"
#include "host/root/host.h"

/* Home directories of users. */

/* Adds, each once: of the live machine the user's own (HOME); of a tree /root and every one below
 * /home too. */
void home_directories(const struct host *host, struct strlist *homes);

/* The same, and that of the user who called sudo, if this runs by it. */
void home_directories_with_sudo(const struct host *host, struct strlist *homes);

/* The home that /etc/passwd gives that user. NULL: it has no such user. free() it. */
char *home_of_user(const struct host *host, unsigned long long user);

#endif
