/* SPDX-License-Identifier: MIT */
#ifndef PROBE_REPOSITORY_APT_URI_H
#define PROBE_REPOSITORY_APT_URI_H

/* Addresses of repositories, and the names of apt's files for them. */

/* The address without the user and password that may stand in it. free() it. */
char *uri_without_user(const char *uri);

/* Where the files of one suite of an entry lie: the address of its InRelease, without that name;
 * $(ARCH) is replaced. free() it. */
char *apt_uri_of_suite(const char *uri, const char *suite, const char *architecture);

/* How the name of a file in /var/lib/apt/lists begins, for an address. free() it. */
char *apt_list_name(const char *uri);

#endif
