/* SPDX-License-Identifier: MIT */
#ifndef PROPERTIES_TAKE_H
#define PROPERTIES_TAKE_H

#include <stdbool.h>

#include "facts/facts.h"
#include "properties/trace.h"

/* Taking away what was asked for. */

/* The words that stand where a fact was; a reason that has them names it. */
#define TAKEN "taken away by the test"

enum taking {
    TAKE_ABSENT,
    TAKE_UNKNOWN,
    TAKE_SKIPPED,
    TAKINGS,
};
const char *taking_name(enum taking taking);

/* What is taken: a fact; all facts of an instance; or all instances of a kind, with every fact of
 * the kind itself (as a probe leaves it that found nothing out). */
enum extent { EXTENT_FACT, EXTENT_INSTANCE, EXTENT_KIND };

/* The facts without it, until put_back(). */
struct taken {
    struct facts *facts; /* to be judged */
    struct facts *owner; /* the machine's: they were changed in place; NULL: facts is a copy */
    struct facts *saved; /* what they were */
};
/* False: there is nothing to take, or its absence is an answer (facts/dictionary.h), so nothing
 * would be missing. A whole record is copied for a kind only: that takes as long as judging it. */
bool take_away(struct facts *facts, const struct asked *asked, enum extent extent,
               enum taking taking, struct taken *ret_taken);
void put_back(struct taken *taken);

#endif
