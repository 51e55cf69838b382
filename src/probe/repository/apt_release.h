/* SPDX-License-Identifier: MIT */
#ifndef PROBE_REPOSITORY_APT_RELEASE_H
#define PROBE_REPOSITORY_APT_RELEASE_H

#include "host/root/file.h"

/* What apt refuses in a repository's file InRelease that has arrived (text), though its signature
 * may be right: "Valid-Until: …" or "Date: …" of another time than now, "Label: new (old)" against
 * the file of the last update; name as apt_list_name() gives it. NULL: nothing. free() it. */
char *apt_release_stop(const struct host *host, const char *text, const char *name, int64_t now);

#endif
