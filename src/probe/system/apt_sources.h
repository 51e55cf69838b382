/* SPDX-License-Identifier: MIT */
#ifndef PROBE_SYSTEM_APT_SOURCES_H
#define PROBE_SYSTEM_APT_SOURCES_H

#include "base/strlist.h"

/* One entry for binary packages of apt's sources (sources.list(5)): a line "deb …", or a paragraph
 * of a .sources file. Entries that are commented out or have "Enabled: no" are not listed. */
struct apt_source {
    const char *uri; /* the first one */
    struct strlist suites;
    struct strlist components; /* empty: a flat repository */
};

enum apt_format { APT_LINES, APT_PARAGRAPHS }; /* *.list, *.sources */

/* Calls each() for every entry of text, which it cuts up; the strings live until each() returns.
 * What is not an entry is passed over, as it is nobody's. */
void apt_sources_each(char *text, enum apt_format format,
                      void (*each)(const struct apt_source *source, void *data), void *data);

#endif
