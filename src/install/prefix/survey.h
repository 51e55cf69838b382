/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PREFIX_SURVEY_H
#define INSTALL_PREFIX_SURVEY_H

#include "base/strlist.h"
#include "install/prefix/prefix.h"

struct error;

/* What a prefix has beside what the ledger says: for changing it without losing any of it. */
struct survey {
    struct strlist
        foreign;      /* paths that the ledger does not have, directories before their files */
    char *not_linked; /* why a second tree of the same files cannot be made; NULL: it can */
};
void survey_free(struct survey *survey);

/* Looks at every entry, and reads none. *ret_survey must be {0}. False only when it could not be
 * done. */
bool survey_prefix(const struct prefix *prefix, struct survey *ret_survey, struct error *error);
/* Whether something foreign is at path or below it. */
bool survey_has_below(const struct strlist *paths, const char *path);

#endif
