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

char *explanation_check(struct manifest *manifest, const struct manifest_message *row)
{
    struct catalogue catalogue;
    struct pattern pattern;
    bool found = false;
    catalogue_read_lists(manifest, &catalogue);
    const char *problem = pattern_parse(row->pattern, &catalogue.lists, &pattern);
    if (problem == NULL) {
        struct search *search = search_new(&pattern, 1, &catalogue.lists, note, &found);
        search_feed(search, row->sample, strlen(row->sample));
        search_end(search);
        search_free(search);
        pattern_free(&pattern);
    }
    catalogue_free(&catalogue);
    if (problem != NULL)
        return mem_string(problem);
    return found ? NULL : mem_string("the pattern does not stand in its sample");
}
