/* SPDX-License-Identifier: MIT */
#ifndef PROBE_REPOSITORY_APT_SOURCES_H
#define PROBE_REPOSITORY_APT_SOURCES_H

#include <stdbool.h>

#include "base/strlist.h"
#include "host/root/file.h"

/* One entry for binary packages of apt's sources (sources.list(5)): a line "deb …", or one address
 * of a paragraph of a .sources file. Entries that are commented out or have "Enabled: no" are not
 * listed. */
struct apt_source {
    const char *uri;
    struct strlist suites;
    struct strlist components; /* empty: a flat repository */
    struct strlist signed_by;  /* paths of keyrings or fingerprints; empty: not given */
    struct strlist architectures;
    const char *inline_key; /* the armored key that Signed-By holds itself; NULL: none */
    unsigned line;          /* where it begins, from 1 on */
    bool trusted;           /* "trusted=yes": signatures are not looked at */
};

enum apt_format { APT_LINES, APT_PARAGRAPHS }; /* *.list, *.sources */

/* Calls each() for every entry of text, which it cuts up; the strings live until each() returns.
 * What is not an entry is passed over, as it is nobody's. */
void apt_sources_each(char *text, enum apt_format format,
                      void (*each)(const struct apt_source *source, void *data), void *data);

/* The first line that apt does not take for an entry, and with which it refuses to read any source;
 * its number is *ret_line. NULL: there is none. free() it. */
char *apt_sources_refused(const char *text, enum apt_format format, unsigned *ret_line);

/* Calls each() for every file that apt reads as sources, with its path, its format and its text,
 * which it may cut up. At most 256 files; HOST_ABSENT when there is none at all. */
enum host_status apt_sources_files(const struct host *host,
                                   void (*each)(const char *path, enum apt_format format,
                                                char *text, void *data),
                                   void *data, struct error *error);

#endif
