/* SPDX-License-Identifier: MIT */
#include "manifest/framework_code.h"

#include <string.h>

#include "base/text.h"

/* "90a" of "sm_90a" is 9.0: the last digit is the minor. */
static bool capability_of_digits(const char *digits, struct version *ret_capability)
{
    size_t count = strspn(digits, "0123456789");
    if (count < 2 || count > 4)
        return false;
    AUTO_FREE char *text = mem_printf("%.*s.%c", (int)count - 1, digits, digits[count - 1]);
    return version_parse(text, ret_capability);
}

bool code_item_parse(const char *text, struct code_item *ret_item)
{
    const char *underscore = strchr(text, '_');
    ret_item->suffix = string_ends(text, "a") ? 'a' : string_ends(text, "f") ? 'f' : '\0';
    if (underscore)
        return capability_of_digits(underscore + 1, &ret_item->capability);
    return version_parse_prefix(text, &ret_item->capability) && ret_item->capability.count == 2;
}

static bool machine_runs(const struct code_item *item, const struct version *gpu)
{
    if (item->suffix == 'a')
        return version_compare(&item->capability, gpu) == 0;
    return item->capability.part[0] == gpu->part[0] && item->capability.part[1] <= gpu->part[1];
}

static bool ptx_runs(const struct code_item *item, const struct version *gpu)
{
    if (item->suffix == 'f')
        return machine_runs(item, gpu);
    int order = version_compare(&item->capability, gpu);
    return item->suffix == 'a' ? order == 0 : order <= 0;
}

static bool is_same(const struct code_item *item, const struct version *gpu)
{
    return version_compare(&item->capability, gpu) == 0;
}

static bool any(const struct strlist *list, const struct version *gpu,
                bool (*runs)(const struct code_item *item, const struct version *gpu))
{
    for (size_t i = 0; list && i < list->count; i++) {
        struct code_item item;
        if (code_item_parse(list->items[i], &item) && runs(&item, gpu))
            return true;
    }
    return false;
}

bool code_machine_runs(const struct strlist *machine_code, const struct version *gpu)
{
    return any(machine_code, gpu, machine_runs);
}

bool code_ptx_runs(const struct strlist *ptx, const struct version *gpu)
{
    return any(ptx, gpu, ptx_runs);
}

bool code_has(const struct strlist *machine_code, const struct version *gpu)
{
    return any(machine_code, gpu, is_same);
}

bool code_bounds(const struct strlist *list, struct version *ret_low, struct version *ret_high)
{
    bool found = false;
    for (size_t i = 0; list && i < list->count; i++) {
        struct code_item item;
        if (!code_item_parse(list->items[i], &item))
            continue;
        if (!found || version_compare(&item.capability, ret_low) < 0)
            *ret_low = item.capability;
        if (!found || version_compare(&item.capability, ret_high) > 0)
            *ret_high = item.capability;
        found = true;
    }
    return found;
}
