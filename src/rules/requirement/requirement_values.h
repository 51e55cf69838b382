/* SPDX-License-Identifier: MIT */
#ifndef RULES_REQUIREMENT_REQUIREMENT_VALUES_H
#define RULES_REQUIREMENT_REQUIREMENT_VALUES_H

#include "base/version.h"
#include "rules/query/judged.h"
#include "rules/requirement/requirement.h"

struct manifest;

/* What the machine has of what a requirement is about. */
struct measured_value {
    struct version version;
    char *text;               /* "570.86.15", "GPU 1 (NVIDIA T4): 7.5" */
    const char *group, *name; /* for evidence; NULL: none */
};
struct measured_values {
    struct measured_value *items;
    size_t count, capacity;
    char *unknown;    /* why it cannot be told; NULL: it can */
    const char *none; /* count 0: "no driver is loaded" */
    bool every;       /* all must meet the requirement, else one is enough */
};
#define AUTO_MEASURED_VALUES AUTO(measured_values_clear)

struct measured_values measured_values_of(const struct facts *facts, struct manifest *manifest,
                                          enum requirement_word word);
void measured_values_clear(struct measured_values *values);

/* The GPUs' part: REQUIRE_GPUS, REQUIRE_CC, REQUIRE_MEMORY. */
void measured_values_add_gpus(struct measured_values *values, const struct facts *facts,
                              struct manifest *manifest, enum requirement_word word);

/* Copies text. */
void measured_values_add(struct measured_values *values, const struct version *version,
                         const char *text, const char *group, const char *name);
/* Why the fact has no value, when it should have: unknown, skipped, or never recorded. */
bool measured_values_lack(struct measured_values *values, const struct facts *facts,
                          const char *group, const char *name);

#endif
