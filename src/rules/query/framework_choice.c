/* SPDX-License-Identifier: MIT */
#include "rules/query/framework_choice.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"

void framework_choices_free(struct framework_choices *choices)
{
    for (size_t i = 0; i < choices->count; i++) {
        struct framework_choice *choice = &choices->items[i];
        char *const texts[] = {choice->framework, choice->title,   choice->asked, choice->version,
                               choice->build,     choice->command, choice->why,   choice->reason,
                               choice->row,       choice->cuda,    choice->cudnn, choice->python};
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

/* "3.9-3.13", "3.9-3.12 (3.13 exp)", ">=3.10", "3.8;3.9;3.10": the lowest, and the highest where
 * one is said. */
static bool python_range(const char *text, struct version *ret_low, struct version *ret_high)
{
    const char *cut = strchr(text, '(');
    AUTO_FREE char *plain = mem_string_n(text, cut ? (size_t)(cut - text) : strlen(text));
    const char *digits = plain + strcspn(plain, "0123456789");
    ret_high->count = 0;
    if (!version_parse_prefix(digits, ret_low) || ret_low->count < 2)
        return false;
    if (plain[0] == '>')
        return true;
    *ret_high = *ret_low;
    for (const char *at = digits; (at = strpbrk(at, "-;,")) != NULL; at++) {
        struct version one;
        if (version_parse_prefix(at + 1, &one) && version_compare(&one, ret_high) > 0)
            *ret_high = one;
    }
    return true;
}

bool framework_choice_takes_python(const struct framework_choice *choice,
                                   const struct version *python, struct version *ret_least)
{
    struct version have = *python, high;
    if (choice->python == NULL || !python_range(choice->python, ret_least, &high))
        return true;
    have.count = have.count > 2 ? 2 : have.count;
    return version_compare(&have, ret_least) >= 0 &&
           (high.count == 0 || version_compare(&have, &high) <= 0);
}
