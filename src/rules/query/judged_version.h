/* SPDX-License-Identifier: MIT */
#ifndef RULES_QUERY_JUDGED_VERSION_H
#define RULES_QUERY_JUDGED_VERSION_H

#include <stdbool.h>

#include "facts/facts.h"

/* A library's version: as read, else, where that is missing or no more than the SONAME's major, as
 * the library told when that file was called. */
struct judged_version {
    const char *text;         /* NULL: unknown */
    const char *group, *name; /* the fact it is from */
    bool called;
};
struct judged_version judged_version(const struct facts *facts, const char *library_group);
/* "9.19.0, as it reports"; "of unknown version" when there is none. free() it. */
char *judged_version_words(const struct judged_version *version);

#endif
