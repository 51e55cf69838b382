/* SPDX-License-Identifier: MIT */
#ifndef RULES_REPOSITORY_RUN_H
#define RULES_REPOSITORY_RUN_H

#include "rules/engine/context.h"

/* What dnf or zypper said in a last run that failed. Strings belong to the record. */

/* The line that stands for this cause (manifests/error.json lists which); NULL: none, or nothing
 * that counts for the purpose. *ret_group: of the run. */
const char *run_error(const struct rule_context *context, const char *cause,
                      const char **ret_group);

/* Adds a finding of this rule with that line. */
struct finding *run_found(struct rule_context *context, const char *group, const char *line);

#endif
