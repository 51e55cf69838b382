/* SPDX-License-Identifier: MIT */
#ifndef CLI_EXPLAIN_EXPLAIN_H
#define CLI_EXPLAIN_EXPLAIN_H

#include "base/json.h"
#include "manifest/error/error.h"
#include "rules/engine/finding.h"

struct manifest;
struct rule;
struct strlist;
struct text;

/* What explain says of one finding or one error, for people (folded to columns) and for programs.
 */
void explain_rule_text(const struct rule *rule, unsigned columns, struct text *output);
json_t *explain_rule_json(const struct rule *rule);
void explain_error_text(struct manifest *manifest, enum manifest_error_list list,
                        const struct manifest_error *row, unsigned columns, struct text *output);
json_t *explain_error_json(struct manifest *manifest, enum manifest_error_list list,
                           const struct manifest_error *row);

/* Causes (slugs) with what decides between them, below a heading. */
void explain_causes_text(const struct strlist *causes, const char *heading, unsigned columns,
                         struct text *output);
json_t *explain_causes_json(const struct strlist *causes);

/* "fail or info", with between in the place of " or "; NULL: nothing is found with that purpose.
 * The caller frees it. */
char *explain_severities(const struct rule *rule, enum purpose purpose, const char *between);

/* Adds the rule's commands to check by hand, and the causes that it may follow from. */
void explain_by_hand(const struct rule *rule, struct strlist *list);
void explain_follows(const struct rule *rule, struct strlist *list);

/* All names that errors have. */
void explain_error_names(struct manifest *manifest, struct strlist *names);

/* Clauses with "; " between them. */
void explain_clauses(const char *clauses, struct strlist *list);

#endif
