/* SPDX-License-Identifier: MIT */
#include "rules/query/package_run.h"

#include "base/text.h"
#include "manifest/error/error.h"
#include "rules/engine/threshold.h"

#define KIND  "package_run"
#define APT   "apt"
#define SPACE "disk_full"

static bool stands_for(const struct rule_context *context, const char *line, const char *cause)
{
    const struct manifest_error *row =
        manifest_error_find(context->manifest, line).rows[ERRORS_MESSAGE];
    return row && strlist_has(&row->findings, cause);
}

/* Of what is not built here, only what is about NVIDIA's packages. */
static bool counts(const struct rule_context *context, const char *line)
{
    return context->purpose == PURPOSE_BUILD || string_contains_nocase(line, "nvidia") ||
           string_contains_nocase(line, "cuda");
}

/* A log without any repository is of a run for another root. */
static bool is_of_here(const struct facts *facts, const char *group)
{
    const char *kind =
        string_equal(facts_string(facts, group, "name"), APT) ? "apt_source" : "rpm_repository";
    int64_t repositories = 0;
    return facts_integer(facts, kind, "count", &repositories) && repositories > 0;
}

static const char *line_of(const struct rule_context *context, const char *group, const char *cause)
{
    const struct strlist *errors = facts_list(context->facts, group, "errors");
    for (size_t i = 0; errors && i < errors->count; i++)
        if (stands_for(context, errors->items[i], cause))
            return errors->items[i];
    return NULL;
}

const char *run_without_space(const struct rule_context *context, const char **ret_group)
{
    const struct facts *facts = context->facts;
    const char *line = NULL;
    const char *group;
    for (size_t i = 0; line == NULL && (group = facts_next(facts, KIND, &i)) != NULL;)
        if (is_of_here(facts, group)) {
            line = line_of(context, group, SPACE);
            *ret_group = group;
        }
    return line;
}

bool run_disk_full(struct rule_context *context, int64_t *ret_free)
{
    const struct facts *facts = context->facts;
    return facts_string(facts, "disk", "packages_path") &&
           facts_integer(facts, "disk", "packages_free_bytes", ret_free) &&
           *ret_free < threshold_bytes(context, "prefix-room");
}

static const char *error_of(struct rule_context *context, const char *cause, bool apt,
                            const char **ret_group)
{
    const struct facts *facts = context->facts;
    const char *group;
    int64_t bytes = 0;
    if (run_disk_full(context, &bytes))
        return NULL;
    for (size_t i = 0; (group = facts_next(facts, KIND, &i)) != NULL;) {
        const struct strlist *errors = facts_list(facts, group, "errors");
        if (string_equal(facts_string(facts, group, "name"), APT) != apt ||
            !is_of_here(facts, group) || line_of(context, group, SPACE))
            continue;
        for (size_t k = 0; errors && k < errors->count; k++) {
            if (!counts(context, errors->items[k]) || !stands_for(context, errors->items[k], cause))
                continue;
            *ret_group = group;
            return errors->items[k];
        }
    }
    return NULL;
}

const char *run_error(struct rule_context *context, const char *cause, const char **ret_group)
{
    return error_of(context, cause, false, ret_group);
}

const char *run_error_of_apt(struct rule_context *context, const char *cause,
                             const char **ret_group)
{
    return error_of(context, cause, true, ret_group);
}
