/* SPDX-License-Identifier: MIT */
#include "rules/query/framework_choice.h"

#include "manifest/versions/python.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

void framework_choices_free(struct framework_choices *choices)
{
    for (size_t i = 0; i < choices->count; i++) {
        struct framework_choice *choice = &choices->items[i];
        char *const texts[] = {choice->framework,    choice->title,        choice->asked,
                               choice->version,      choice->build,        choice->command,
                               choice->why,          choice->reason,       choice->row,
                               choice->cuda,         choice->cudnn,        choice->python,
                               choice->same_release, choice->same_command, choice->limits};
        for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++)
            free(texts[k]);
    }
    free(choices->items);
    for (size_t i = 0; i < choices->ptx_count; i++) {
        free(choices->ptx[i].group);
        free(choices->ptx[i].why);
        free(choices->ptx[i].row);
    }
    free(choices->ptx);
}

const struct framework_choice *framework_choice_find(const struct framework_choices *choices,
                                                     const char *framework)
{
    for (size_t i = 0; choices && i < choices->count; i++)
        if (choices->items[i].asked == NULL && string_equal(choices->items[i].framework, framework))
            return &choices->items[i];
    return NULL;
}

bool framework_install_try(const struct framework_choices *choices, const char *asked,
                           struct framework_install *ret_install)
{
    if (choices == NULL || choices->try_install == NULL)
        return false;
    *ret_install = (struct framework_install){.asked = mem_string(asked)};
    choices->try_install(choices->install_data, ret_install);
    return true;
}

void framework_install_free(struct framework_install *install)
{
    free(install->asked);
    free(install->command);
    free(install->cuda);
    free(install->cudnn);
}

const struct framework_ptx *framework_ptx_find(const struct framework_choices *choices,
                                               const char *group, const struct version *capability)
{
    for (size_t i = 0; choices && i < choices->ptx_count; i++)
        if (string_equal(choices->ptx[i].group, group) &&
            version_compare(&choices->ptx[i].capability, capability) == 0)
            return &choices->ptx[i];
    return NULL;
}

bool framework_choice_takes_python(const struct framework_choice *choice,
                                   const struct version *python, struct version *ret_newest)
{
    return python_list_has(choice->python, python, ret_newest);
}
