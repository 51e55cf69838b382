/* SPDX-License-Identifier: MIT */
#include "rules/query/vendor_refusal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

static const struct vendor_code codes[] = {
#define CODES(named, low, high, kind, slug, words)                                                 \
    {.list = ERRORS_##named,                                                                       \
     .first = (low),                                                                               \
     .last = (high),                                                                               \
     .fault = (kind),                                                                              \
     .finding = (slug),                                                                            \
     .reason = (words)},
#include "rules/query/vendor_code.def"
#undef CODES
};

/* NULL: no row has the number. */
static const struct vendor_code *vendor_code_find(enum manifest_error_list list, int64_t number)
{
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
        if (codes[i].list == list && number >= codes[i].first && number <= codes[i].last)
            return &codes[i];
    return NULL;
}

/* "…: error 15 (GPU is lost)": nothing that a program printed has this form. */
static bool read_number(const char *reason, int64_t *ret_number)
{
    static const char mark[] = ": error ";
    const char *at = strstr(reason, mark);
    char *end;
    if (at == NULL || at[strlen(mark)] < '0' || at[strlen(mark)] > '9')
        return false;
    unsigned long number = strtoul(at + strlen(mark), &end, 10);
    *ret_number = (int64_t)number;
    return number > 0 && number <= INT32_MAX && (*end == '\0' || *end == ' ');
}

/* "Unknown Error", "nvmlDeviceGetHandleByIndex_v2: GPU is lost". */
static bool read_words(struct manifest *manifest, enum manifest_error_list list, const char *reason,
                       int64_t *ret_number)
{
    size_t count;
    const char *colon = strrchr(reason, ':');
    const char *words = colon && colon[1] == ' ' ? colon + 2 : reason;
    const struct manifest_error *rows = manifest_errors(manifest, list, &count);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].words == NULL || strcasecmp(rows[i].words, words) != 0)
            continue;
        *ret_number = rows[i].code;
        return true;
    }
    return false;
}

static bool always(const struct vendor_code *code)
{
    return code == NULL || code->fault == FAULT_ALWAYS;
}

static void take(struct vendor_refusal *refusal, const struct fact *fact,
                 enum manifest_error_list list, int64_t number)
{
    const struct vendor_code *code = vendor_code_find(list, number);
    if (refusal->fact && number == refusal->number) {
        refusal->count++;
        return;
    }
    if (refusal->fact && (always(refusal->code) || !always(code)))
        return;
    refusal->fact = fact;
    refusal->number = number;
    refusal->code = code;
    refusal->count = 1;
}

struct vendor_refusal vendor_refusal_of(const struct facts *facts, struct manifest *manifest,
                                        enum manifest_error_list list, const char *group)
{
    struct vendor_refusal refusal = {.whole = true};
    for (size_t i = 0; i < facts_count(facts, group); i++) {
        const struct fact *fact = facts_at(facts, group, i);
        int64_t number;
        refusal.whole = refusal.whole && fact->state != FACT_VALUE;
        if (fact->state == FACT_UNKNOWN && fact->reason &&
            (read_number(fact->reason, &number) ||
             read_words(manifest, list, fact->reason, &number)))
            take(&refusal, fact, list, number);
    }
    if (refusal.fact == NULL)
        return refusal;
    refusal.group = group;
    refusal.error = manifest_error(manifest, list, refusal.number);
    return refusal;
}

bool vendor_refusal_is_fault(const struct vendor_refusal *refusal, bool others)
{
    if (refusal->group == NULL)
        return false;
    if (always(refusal->code))
        return true;
    if (!refusal->whole || refusal->code->fault == FAULT_NEVER)
        return false;
    return refusal->code->fault == FAULT_OF_ALL || !others;
}
