/* SPDX-License-Identifier: MIT */
#ifndef TESTS_FUZZ_FROM_CHECK_H
#define TESTS_FUZZ_FROM_CHECK_H

#include <stdlib.h>

#include "facts/dictionary.h"
#include "facts/facts.h"

/* What the targets of doctor --from share: a fact that was read has the type of the dictionary, a
 * source, and a reason where it has no value. */

static inline void from_check_fact(const char *group, const struct fact *fact)
{
    const struct fact_entry *entry = dictionary_entry(group, fact->name);
    if (fact->source == NULL ||
        ((fact->state == FACT_UNKNOWN || fact->state == FACT_SKIPPED) != (fact->reason != NULL)))
        abort();
    if (entry && fact->state == FACT_VALUE && fact->type != entry->type)
        abort();
}

/* All but those that were not sent: they are many, and always the same. */
static inline void from_check_facts(const struct facts *facts)
{
    for (size_t i = 0; i < facts_group_count(facts); i++) {
        const char *group = facts_group_at(facts, i);
        for (size_t k = 0; k < facts_count(facts, group); k++)
            if (facts_at(facts, group, k)->state != FACT_SKIPPED)
                from_check_fact(group, facts_at(facts, group, k));
    }
}

#endif
