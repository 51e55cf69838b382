/* SPDX-License-Identifier: MIT */
#ifndef RULES_REPOSITORY_RUN_H
#define RULES_REPOSITORY_RUN_H

#include "rules/query/package_run.h"

/* Adds a finding of this rule with that line of a package manager's last run. */
struct finding *run_found(struct rule_context *context, const char *group, const char *line);

#endif
