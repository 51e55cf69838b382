/* SPDX-License-Identifier: MIT */
#include "rules/framework_choice.h"

#include "base/memory.h"
#include "base/text.h"

void framework_choices_free(struct framework_choices *choices)
{
    for (size_t i = 0; i < choices->count; i++) {
        struct framework_choice *choice = &choices->items[i];
        char *const texts[] = {choice->framework, choice->asked, choice->version, choice->build,
                               choice->command,   choice->why,   choice->reason,  choice->row,
                               choice->cuda,      choice->cudnn, choice->python};
        for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++)
            free(texts[k]);
    }
    free(choices->items);
}

const struct framework_choice *framework_choice_find(const struct framework_choices *choices,
                                                     const char *framework)
{
    for (size_t i = 0; choices && i < choices->count; i++)
        if (choices->items[i].asked == NULL && string_equal(choices->items[i].framework, framework))
            return &choices->items[i];
    return NULL;
}
