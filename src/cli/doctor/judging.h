/* SPDX-License-Identifier: MIT */
#ifndef CLI_DOCTOR_JUDGING_H
#define CLI_DOCTOR_JUDGING_H

#include "cli/doctor/frameworks.h"
#include "resolve/engine/resolution.h"
#include "rules/query/framework_choice.h"
#include "rules/rules.h"

struct error;

/* A record that is judged, and what that needs. Start with {0}; the frameworks may be given. */
struct judging {
    struct resolve_specs frameworks;  /* --for-framework */
    struct framework_choices choices; /* what was resolved of them, and of those installed */
    struct install_sources sources;
};
#define AUTO_JUDGING AUTO(judging_free)

/* Judges the record; the caller owns *ret_judgement, which needs facts and judging as long as it
 * is used. False: the manifest is damaged. */
bool judging_judge(struct judging *judging, const struct session *session,
                   const struct facts *facts, struct judge_options *options,
                   struct judgement **ret_judgement, struct error *error);
void judging_free(struct judging *judging);

/* --for PROFILE into options. ERROR_USAGE for an unknown one. */
bool judging_purpose(const struct session *session, const struct arguments *arguments,
                     struct judge_options *options, struct error *error);
extern const struct option option_for;

#endif
