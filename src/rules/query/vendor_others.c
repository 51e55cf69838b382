/* SPDX-License-Identifier: MIT */
#include "rules/query/vendor_others.h"

#include <string.h>

#include "base/text.h"
#include "rules/query/vendor_refusal.h"

bool vendor_others_answer(const struct facts *facts, const char *kind, const char *besides)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, kind, &i)) != NULL;)
        if (!string_equal(group, besides) && facts_string(facts, group, "name"))
            return true;
    return false;
}

static bool is_of_kind(const char *group, const char *kind)
{
    return string_starts(group, kind) && group[strlen(kind)] == '/';
}

bool vendor_is_of_others(const struct facts *facts, struct manifest *manifest, const char *group)
{
    static const struct {
        const char *kind;
        enum manifest_error_list list;
    } askers[] = {{"nvml", ERRORS_NVML}, {"cuda", ERRORS_CUDA}};
    for (size_t i = 0; i < sizeof(askers) / sizeof(askers[0]); i++) {
        if (!is_of_kind(group, askers[i].kind))
            continue;
        struct vendor_refusal refusal = vendor_refusal_of(facts, manifest, askers[i].list, group);
        return refusal.group && refusal.whole && refusal.code &&
               refusal.code->fault == FAULT_IF_ALONE &&
               vendor_others_answer(facts, askers[i].kind, group);
    }
    return false;
}
