/* SPDX-License-Identifier: MIT */
#include "rules/engine/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "facts/dictionary.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"

/* How much each status weighs when a check ends in more than one way. */
static unsigned status_weight(enum check_status status)
{
    static const unsigned weights[] = {
        [CHECK_PASS] = 0, [CHECK_SKIP] = 1, [CHECK_WARN] = 2, [CHECK_UNKNOWN] = 3, [CHECK_FAIL] = 4,
    };
    return weights[status];
}

static void status_raise(struct check *check, enum check_status status)
{
    if (status_weight(status) <= status_weight(check->status))
        return;
    check->status = status;
    free(mem_steal(&check->reason));
}

static void check_end(struct check *check, enum check_status status, char *reason)
{
    status_raise(check, status);
    if (check->status == status && check->reason == NULL)
        check->reason = mem_steal(&reason);
    free(reason);
}

void rule_skip(struct rule_context *context, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    check_end(context->check, CHECK_SKIP, mem_vprintf(format, arguments));
    va_end(arguments);
}

void rule_also(struct rule_context *context, const char *lacks)
{
    struct check *check = context->check;
    const char *why = strstr(lacks, ": ");
    if (why && strstr(check->reason, why))
        return;
    AUTO_FREE char *reason = mem_steal(&check->reason);
    bool part = strstr(lacks, reason) != NULL;
    check->reason = part ? mem_string(lacks) : mem_printf("%s (%s)", reason, lacks);
}

void rule_unknown(struct rule_context *context, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    check_end(context->check, CHECK_UNKNOWN, mem_vprintf(format, arguments));
    va_end(arguments);
}

struct finding *rule_found(struct rule_context *context, enum severity severity, const char *format,
                           ...)
{
    struct finding *finding = judgement_add(context->judgement);
    finding->code = context->rule->code;
    finding->cause = context->rule->cause;
    finding->severity = severity;
    va_list arguments;
    va_start(arguments, format);
    finding->message = mem_vprintf(format, arguments);
    va_end(arguments);
    if (severity == SEVERITY_FAIL)
        status_raise(context->check, CHECK_FAIL);
    else if (severity == SEVERITY_WARN)
        status_raise(context->check, CHECK_WARN);
    return finding;
}

void finding_subject(struct finding *finding, const char *subject)
{
    free(finding->subject);
    finding->subject = mem_string(subject);
}

void finding_why(struct finding *finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    free(finding->why);
    finding->why = mem_vprintf(format, arguments);
    va_end(arguments);
}

static char *value_text(const struct fact *fact)
{
    switch (fact->type) {
    case FACT_STRING:
        return mem_string(fact->string);
    case FACT_INTEGER:
        return mem_printf("%lld", (long long)fact->integer);
    case FACT_BOOLEAN:
        return mem_string(fact->boolean ? "true" : "false");
    case FACT_LIST:
        break;
    }
    return strlist_join(&fact->list, ", ");
}

static char *fact_text(const struct fact *fact)
{
    switch (fact->state) {
    case FACT_ABSENT:
        return mem_string("absent");
    case FACT_UNKNOWN:
        return mem_printf("unknown: %s", fact->reason);
    case FACT_SKIPPED:
        return mem_printf("skipped: %s", fact->reason);
    case FACT_VALUE:
        break;
    }
    return value_text(fact);
}

static bool evidence_has(const struct finding *finding, const char *source, const char *name,
                         const char *value)
{
    for (size_t i = 0; i < finding->evidence_count; i++)
        if (string_equal(finding->evidence[i].source, source) &&
            string_equal(finding->evidence[i].name, name) &&
            string_equal(finding->evidence[i].value, value))
            return true;
    return false;
}

static void add_evidence(struct finding *finding, const char *source, const char *group,
                         const char *name, const char *value)
{
    if (evidence_has(finding, source, name, value))
        return;
    struct finding_evidence *evidence =
        vec_push(finding->evidence, finding->evidence_count, finding->evidence_capacity);
    evidence->source = mem_string(source);
    evidence->name = mem_string(name);
    evidence->value = mem_string(value);
    evidence->group = group ? mem_string(group) : NULL;
}

void finding_evidence_text(struct finding *finding, const char *source, const char *value)
{
    add_evidence(finding, source, NULL, NULL, value);
}

void finding_evidence(struct finding *finding, const struct facts *facts, const char *group,
                      const char *name)
{
    const struct fact *fact = group ? facts_peek(facts, group, name) : NULL;
    if (fact == NULL)
        return;
    AUTO_FREE char *value = fact_text(fact);
    add_evidence(finding, fact->source, group, name, value);
}

void finding_manifest(struct finding *finding, const char *row_id)
{
    free(finding->manifest);
    finding->manifest = mem_string(row_id);
}

bool finding_follows(const struct rule_context *context, struct finding *finding, const char *cause)
{
    for (size_t i = 0; i < context->judgement->finding_count; i++) {
        const struct finding *earlier = context->judgement->findings[i];
        if (earlier == finding || !string_equal(earlier->cause, cause))
            continue;
        finding->caused_by = earlier->code;
        return true;
    }
    return false;
}

bool rule_require_fact(struct rule_context *context, const char *group, const char *name)
{
    const struct fact *fact = facts_get(context->facts, group, name);
    if (fact == NULL) {
        rule_unknown(context, "%s.%s is not in the record", group, name);
        return false;
    }
    if (fact->state == FACT_UNKNOWN)
        rule_unknown(context, "%s.%s: %s", group, name, fact->reason);
    else if (fact->state == FACT_SKIPPED)
        rule_skip(context, "%s.%s: %s", group, name, fact->reason);
    else if (fact->state == FACT_ABSENT && dictionary_is_missing(group, name))
        rule_unknown(context, "%s.%s: it is missing", group, name);
    else
        return true;
    return false;
}

void rule_asks_for_cause(const struct rule_context *context, const char *cause)
{
    const struct judgement *judgement = context->judgement;
    for (size_t i = 0; i + 1 < judgement->check_count; i++)
        if (judgement->checks[i].lacks && string_equal(judgement->checks[i].cause, cause))
            strlist_add_new(&context->check->rests_on, judgement->checks[i].code);
}

bool rule_require_seen(struct rule_context *context, const char *group, const char *name)
{
    const struct fact *fact = facts_get(context->facts, group, name);
    return fact == NULL || fact->state != FACT_SKIPPED || rule_require_fact(context, group, name);
}

bool rule_has_found(const struct rule_context *context, const char *cause)
{
    rule_asks_for_cause(context, cause);
    for (size_t i = 0; i < context->judgement->finding_count; i++)
        if (string_equal(context->judgement->findings[i]->cause, cause))
            return true;
    return false;
}

enum severity severity_for_use(enum purpose purpose)
{
    return purpose == PURPOSE_BUILD ? SEVERITY_INFO : SEVERITY_FAIL;
}

enum severity severity_for_build(enum purpose purpose)
{
    return purpose == PURPOSE_BUILD ? SEVERITY_FAIL : SEVERITY_INFO;
}
