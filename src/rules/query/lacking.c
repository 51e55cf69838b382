/* SPDX-License-Identifier: MIT */
#include "rules/query/lacking.h"

#include <string.h>

#include "base/text.h"
#include "facts/dictionary.h"
#include "rules/query/vendor_others.h"

/* Whether the fact is one of those without which most machines are judged: see
 * facts/dictionary.h. */
static enum fact_need need_of(const char *group, const struct fact *fact)
{
    const struct fact_entry *entry = dictionary_entry(group, fact->name);
    return entry ? dictionary_need(entry) : NEED_ANSWER;
}

static struct lacking_fact lacking_of(const char *group, const struct fact *fact)
{
    return (struct lacking_fact){group, fact->name, fact->reason ? fact->reason : "it is missing"};
}

static bool is_lacking(const struct facts *facts, struct manifest *manifest, const char *group,
                       const struct fact *fact, bool unknown)
{
    enum fact_need need = need_of(group, fact);
    if (need == NEED_UNLESS_SKIPPED)
        need = fact->state == FACT_SKIPPED ? NEED_NOTHING : NEED_ANSWER;
    bool counts = fact->state != FACT_SKIPPED && need == NEED_ANSWER;
    return need != NEED_NOTHING && counts == unknown &&
           !vendor_is_of_others(facts, manifest, group);
}

struct lacking_fact lacking_first(const struct facts *facts, struct manifest *manifest,
                                  bool unknown)
{
    const struct fact *fact;
    const char *group;
    for (size_t i = 0; (fact = facts_lacking(facts, i, &group)) != NULL; i++)
        if (is_lacking(facts, manifest, group, fact, unknown))
            return lacking_of(group, fact);
    return (struct lacking_fact){.group = NULL};
}

/* A reason names so many facts; the number of the others follows. */
enum { NAMED_MAX = 8 };

struct naming {
    struct text text;
    size_t named, others;
};

static void add_fact(struct naming *naming, const struct lacking_fact *lacks, const char *reason)
{
    AUTO_FREE char *name = mem_printf("%s.%s", lacks->group, lacks->name);
    if (strstr(text_string(&naming->text), reason ? reason : name) != NULL)
        return;
    text_printf(&naming->text, "%s%s: %s", naming->named ? "; " : "", name, lacks->reason);
    naming->named++;
}

static void add_all(const struct facts *facts, struct manifest *manifest, bool unknown,
                    struct naming *naming)
{
    const struct fact *fact;
    const char *group;
    for (size_t i = 0; (fact = facts_lacking(facts, i, &group)) != NULL; i++) {
        if (!is_lacking(facts, manifest, group, fact, unknown))
            continue;
        struct lacking_fact lacks = lacking_of(group, fact);
        if (naming->named < NAMED_MAX)
            add_fact(naming, &lacks, fact->reason);
        else
            naming->others++;
    }
}

char *lacking_text(const struct facts *facts, struct manifest *manifest)
{
    struct naming naming = {.named = 0};
    add_all(facts, manifest, true, &naming);
    add_all(facts, manifest, false, &naming);
    if (naming.others > 0)
        text_printf(&naming.text, "; %zu more facts are missing", naming.others);
    char *text = naming.named ? mem_string(text_string(&naming.text)) : NULL;
    text_free(&naming.text);
    return text;
}
