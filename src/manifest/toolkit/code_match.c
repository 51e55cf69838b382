/* SPDX-License-Identifier: MIT */
#include "manifest/toolkit/code_match.h"

#include <string.h>

#include "base/text.h"
#include "manifest/toolkit/code.h"
#include "manifest/versions/capability.h"

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

/* One chip under two numbers: Thor, in older and newer CUDA. */
static bool is_renamed(struct manifest *manifest, const struct version *a, const struct version *b)
{
    const struct manifest_capability *row = manifest_capability_find(manifest, a);
    return row && row->renamed_to.count && version_compare(&row->renamed_to, b) == 0;
}

static enum code_match unless_renamed(struct manifest *manifest, const struct version *code,
                                      const struct version *gpu)
{
    bool renamed = is_renamed(manifest, code, gpu) || is_renamed(manifest, gpu, code);
    return renamed ? CODE_MATCH_UNSURE : CODE_MATCH_NO;
}

static bool is_above_in_major(const struct version *code, const struct version *gpu)
{
    return code->part[0] == gpu->part[0] && code->part[1] < gpu->part[1];
}

/* Of a family that is not listed, and of a GPU that is not listed, nobody can tell. */
static enum code_match match_family(struct manifest *manifest, const struct version *code,
                                    const struct version *gpu)
{
    char text[VERSION_TEXT_SIZE];
    const struct manifest_family *family = manifest_family_find(manifest, code);
    if (version_compare(code, gpu) == 0 ||
        (family && strlist_has(&family->capabilities, version_text(gpu, 2, text))))
        return CODE_MATCH_YES;
    bool known = family && manifest_capability_find(manifest, gpu);
    if (is_above_in_major(code, gpu) && !known)
        return CODE_MATCH_UNSURE;
    return unless_renamed(manifest, code, gpu);
}

static enum code_match match_plain_machine(struct manifest *manifest, const struct version *code,
                                           const struct version *gpu)
{
    if (version_compare(code, gpu) == 0)
        return CODE_MATCH_YES;
    if (!is_above_in_major(code, gpu))
        return unless_renamed(manifest, code, gpu);
    bool integrated =
        manifest_integrated_find(manifest, code) || manifest_integrated_find(manifest, gpu);
    return integrated ? CODE_MATCH_UNSURE : CODE_MATCH_YES;
}

/* True when the suffix, or that nothing is known, decides. */
static bool match_by_suffix(struct manifest *manifest, const struct code_item *item,
                            const struct version *gpu, enum code_match *ret_match)
{
    const struct version *capability = &item->capability;
    if (capability->count == 0 || (item->suffix && item->suffix != 'a' && item->suffix != 'f'))
        *ret_match = CODE_MATCH_UNSURE;
    else if (item->suffix == 'a')
        *ret_match = version_compare(capability, gpu) == 0
                         ? CODE_MATCH_YES
                         : unless_renamed(manifest, capability, gpu);
    else if (item->suffix == 'f')
        *ret_match = match_family(manifest, capability, gpu);
    else
        return false;
    return true;
}

enum code_match code_match_machine(struct manifest *manifest, const struct code_item *item,
                                   const struct version *gpu)
{
    enum code_match match;
    if (match_by_suffix(manifest, item, gpu, &match))
        return match;
    return match_plain_machine(manifest, &item->capability, gpu);
}

enum code_match code_match_ptx(struct manifest *manifest, const struct code_item *item,
                               const struct version *gpu)
{
    enum code_match match;
    if (match_by_suffix(manifest, item, gpu, &match))
        return match;
    return version_compare(&item->capability, gpu) <= 0 ? CODE_MATCH_YES : CODE_MATCH_NO;
}

static enum code_match
best_of(struct manifest *manifest, const struct strlist *list, const struct version *gpu,
        enum code_match (*match)(struct manifest *manifest, const struct code_item *item,
                                 const struct version *gpu))
{
    enum code_match best = CODE_MATCH_NO;
    for (size_t i = 0; list && i < list->count; i++) {
        struct code_item item;
        enum code_match one =
            code_item_parse(list->items[i], &item) ? match(manifest, &item, gpu) : CODE_MATCH_NO;
        best = one > best ? one : best;
    }
    return best;
}

enum code_match code_list_match_machine(struct manifest *manifest, const struct strlist *list,
                                        const struct version *gpu)
{
    return best_of(manifest, list, gpu, code_match_machine);
}

enum code_match code_list_match_ptx(struct manifest *manifest, const struct strlist *list,
                                    const struct version *gpu)
{
    return best_of(manifest, list, gpu, code_match_ptx);
}

bool code_list_has(const struct strlist *list, const struct version *gpu)
{
    struct code_item item;
    for (size_t i = 0; list && i < list->count; i++)
        if (code_item_parse(list->items[i], &item) && version_compare(&item.capability, gpu) == 0)
            return true;
    return false;
}

bool code_list_bounds(const struct strlist *list, struct version *ret_low, struct version *ret_high)
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
