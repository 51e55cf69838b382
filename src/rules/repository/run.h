/* SPDX-License-Identifier: MIT */
#ifndef RULES_REPOSITORY_RUN_H
#define RULES_REPOSITORY_RUN_H

#include "rules/query/package_run.h"

/* Whether the line says that nothing provides what the package of a repository needs, and what is
 * needed is of that package's own version: then its repository has only parts of that version. */
bool run_lacks_own_part(const char *line);

/* Adds a finding of this rule with that line of a package manager's last run. */
struct finding *run_found(struct rule_context *context, const char *group, const char *line);

#endif
