/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "explain/catalogue.h"
#include "explain/explanation.h"
#include "match/search.h"

static void note(void *context, const struct search_found *found)
{
    (void)found;
    *(bool *)context = true;
}

static const char *look_for(const struct pattern_lists *lists, const char *form, const char *sample,
                            bool *found)
{
    struct pattern pattern;
    const char *problem = pattern_parse(form, lists, &pattern);
    if (problem != NULL)
        return problem;
    struct search *search = search_new(&pattern, 1, lists, note, found);
    search_feed(search, sample, strlen(sample));
    search_end(search);
    search_free(search);
    pattern_free(&pattern);
    return NULL;
}

char *explanation_check(struct manifest *manifest, const struct manifest_message *row)
{
    struct catalogue catalogue;
    bool found = false;
    const char *problem = NULL;
    AUTO_STRLIST struct strlist forms = {0};
    catalogue_read_lists(manifest, &catalogue);
    catalogue_forms(manifest, row, &forms);
    for (size_t i = 0; i < forms.count && problem == NULL && !found; i++)
        problem = look_for(&catalogue.lists, forms.items[i], row->sample, &found);
    catalogue_free(&catalogue);
    if (problem != NULL)
        return mem_string(problem);
    return found ? NULL : mem_string("the pattern does not stand in its sample");
}
