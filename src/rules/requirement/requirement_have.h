/* SPDX-License-Identifier: MIT */
#ifndef RULES_REQUIREMENT_REQUIREMENT_HAVE_H
#define RULES_REQUIREMENT_REQUIREMENT_HAVE_H

#include "base/version.h"
#include "rules/query/judged.h"
#include "rules/requirement/requirement.h"

struct manifest;

/* What the machine has of what a requirement is about. */
struct have {
    struct version version;
    char *text;               /* "570.86.15", "GPU 1 (NVIDIA T4): 7.5" */
    const char *group, *name; /* for evidence; NULL: none */
};
struct haves {
    struct have *items;
    size_t count, capacity;
    char *unknown;    /* why it cannot be told; NULL: it can */
    const char *none; /* count 0: "no driver is loaded" */
    bool every;       /* all must meet the requirement, else one is enough */
};
#define AUTO_HAVES AUTO(haves_clear)

struct haves haves_of(const struct facts *facts, struct manifest *manifest,
                      enum requirement_word word);
void haves_clear(struct haves *haves);

/* The GPUs' part: REQUIRE_GPUS, REQUIRE_CC, REQUIRE_MEMORY. */
void haves_add_gpus(struct haves *haves, const struct facts *facts, struct manifest *manifest,
                    enum requirement_word word);

/* Copies text. */
void haves_add(struct haves *haves, const struct version *version, const char *text,
               const char *group, const char *name);
/* Why the fact has no value, when it should have: unknown, skipped, or never recorded. */
bool haves_lack(struct haves *haves, const struct facts *facts, const char *group,
                const char *name);

#endif
