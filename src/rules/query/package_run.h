/* SPDX-License-Identifier: MIT */
#ifndef RULES_QUERY_PACKAGE_RUN_H
#define RULES_QUERY_PACKAGE_RUN_H

#include "rules/engine/context.h"

/* What package managers said in a last run that failed. Strings belong to the record. */

/* The line of dnf's or zypper's that stands for this cause (manifests/error.json lists which);
 * NULL: none, or nothing that counts for the purpose, or there was no space for its files: then
 * what it says otherwise is a consequence. *ret_group: of the run. */
const char *run_error(struct rule_context *context, const char *cause, const char **ret_group);

/* The same of what dpkg said in apt's last run. */
const char *run_error_of_apt(struct rule_context *context, const char *cause,
                             const char **ret_group);

/* The line that says of any of them that a disk is full; NULL: none. */
const char *run_without_space(const struct rule_context *context, const char **ret_group);

/* Whether the disk of one of the package manager's directories is full; *ret_free: bytes. */
bool run_disk_full(struct rule_context *context, int64_t *ret_free);

#endif
