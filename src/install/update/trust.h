/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_UPDATE_TRUST_H
#define INSTALL_UPDATE_TRUST_H

#include "base/strlist.h"
#include "base/text.h"
#include "manifest/update/root.h"

struct error;

/* Which keys are trusted: the root that is built in, and every later one that the root before it
 * signed. */
struct update_trust {
    struct update_root root;  /* the newest */
    struct strlist documents; /* all of them as they came, oldest first */
};
#define AUTO_TRUST AUTO(update_trust_free)

/* Begins with a list of roots whose first is trusted because it is built in; it must have signed
 * itself all the same. ERROR_INTERNAL: this build has something else there. */
bool update_trust_begin(const char *roots, size_t size, struct update_trust *ret_trust,
                        struct error *error);
/* Goes on with the roots of a list that are newer, one after the other: each is signed by enough
 * keys of the one before it, and of its own. What was trusted up to a failure stays trusted.
 * ERROR_DATA. */
bool update_trust_walk(struct update_trust *trust, const char *roots, size_t size, const char *name,
                       struct error *error);
/* Whether enough different keys of the role have signed. ERROR_DATA where they have not. */
bool update_trust_verify(const struct update_role *role, const struct update_signed *document,
                         const char *name, struct error *error);
/* The documents as one list. */
void update_trust_append(const struct update_trust *trust, struct text *output);
void update_trust_free(struct update_trust *trust);

#endif
