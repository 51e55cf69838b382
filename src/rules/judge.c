/* SPDX-License-Identifier: MIT */
#include "rules/rules.h"

#include <string.h>
#include <strings.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"
#include "rules/query/lacking.h"
#include "rules/purpose.h"
#include "rules/sudo.h"

static bool rule_named(const struct rule *rule, const char *name)
{
    return strcasecmp(rule->code, name) == 0 || strcasecmp(rule->cause, name) == 0;
}

const struct rule *rule_find(const char *name)
{
    for (const struct rule *rule = rule_table; rule->code; rule++)
        if (rule_named(rule, name))
            return rule;
    return NULL;
}

static bool list_names(const struct strlist *list, const struct rule *rule)
{
    for (size_t i = 0; list && i < list->count; i++)
        if (rule_named(rule, list->items[i]))
            return true;
    return false;
}

static double clock_now(const struct judge_options *options)
{
    return options->now_ms ? options->now_ms() : 0;
}

/* A rule that finds nothing for this purpose, and might for a container that is to have a GPU. */
static bool rule_rests_on_purpose(const struct rule_context *context)
{
    return context->purpose_lacks.group && context->rule->severities[context->purpose] !=
                                               context->rule->severities[PURPOSE_CONTAINER];
}

static const struct check *check_of(const struct judgement *judgement, const char *code)
{
    const struct check *check = judgement->checks;
    while (!string_equal(check->code, code))
        check++;
    return check;
}

/* Adds what other rules lacked on whose findings this one rests; true when one of them is undecided
 * therefore. */
static bool add_of_others(const struct rule_context *context, struct text *text)
{
    const struct strlist *codes = &context->check->rests_on;
    bool undecided = false;
    for (size_t i = 0; i < codes->count; i++) {
        const struct check *other = check_of(context->judgement, codes->items[i]);
        undecided = undecided || other->status == CHECK_UNKNOWN;
        if (strstr(text_string(text), other->lacks) == NULL)
            text_printf(text, "%s%s: %s", text->size ? "; " : "", other->code, other->lacks);
    }
    return undecided;
}

static void add_of_purpose(const struct rule_context *context, struct text *text)
{
    const struct lacking_fact *lacks = &context->purpose_lacks;
    if (text->size == 0 && rule_rests_on_purpose(context))
        text_printf(text, "%s.%s: %s", lacks->group, lacks->name, lacks->reason);
}

/* No yardstick, no pass: a rule that did not get to know a fact that it asked for cannot tell. One
 * that does not apply says which fact was missing when it said so. */
static void rule_settle(struct rule_context *context)
{
    struct check *check = context->check;
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *own = lacking_text(context->facts, context->manifest);
    bool unknown = lacking_first(context->facts, context->manifest, true).group != NULL;
    text_append(&text, own ? own : "");
    bool rests_on_unknown = add_of_others(context, &text);
    add_of_purpose(context, &text);
    if (text.size == 0)
        return;
    check->lacks = mem_string(text_string(&text));
    bool undecided = (unknown && check->status != CHECK_UNKNOWN) ||
                     (check->status == CHECK_PASS && rests_on_unknown);
    if (undecided)
        rule_unknown(context, "%s", check->lacks);
    else if (check->status == CHECK_PASS)
        rule_skip(context, "%s", check->lacks);
    else if (check->reason)
        rule_also(context, check->lacks);
}

static void rule_run(const struct rule *rule, struct rule_context *context,
                     const struct judge_options *options)
{
    struct judgement *judgement = context->judgement;
    struct check *check =
        vec_push(judgement->checks, judgement->check_count, judgement->check_capacity);
    check->code = rule->code;
    check->cause = rule->cause;
    context->rule = rule;
    context->check = check;
    if (list_names(options->ignore, rule)) {
        rule_skip(context, "ignored (--ignore)");
        return;
    }
    size_t before = judgement->finding_count;
    double start = clock_now(options);
    facts_watch(context->facts, true);
    rule->judge(context);
    rule_settle(context);
    facts_watch(context->facts, false);
    check->duration_ms = clock_now(options) - start;
    for (size_t i = before; i < judgement->finding_count; i++) {
        finding_order_fixes(judgement->findings[i]);
        finding_fit_system(judgement->findings[i], facts_string(context->facts, "os", "id"));
    }
}

static bool finding_counts(const struct finding *finding)
{
    return finding->caused_by == NULL;
}

/* True when all that the check found follows from something else: it is shown, and not counted. */
static bool check_is_consequence(const struct judgement *judgement, const struct check *check)
{
    bool any = false;
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *finding = judgement->findings[i];
        if (!string_equal(finding->code, check->code))
            continue;
        if (finding_counts(finding))
            return false;
        any = true;
    }
    return any && check->status != CHECK_UNKNOWN;
}

static void judgement_count(struct judgement *judgement)
{
    unsigned counts[CHECK_UNKNOWN + 1] = {0};
    for (size_t i = 0; i < judgement->check_count; i++)
        if (!check_is_consequence(judgement, &judgement->checks[i]))
            counts[judgement->checks[i].status]++;
    judgement->pass = counts[CHECK_PASS];
    judgement->warn = counts[CHECK_WARN];
    judgement->fail = counts[CHECK_FAIL];
    judgement->skip = counts[CHECK_SKIP];
    judgement->unknown = counts[CHECK_UNKNOWN];
}

/* What a check could not tell matters where it could have warned or failed: a build needs no answer
 * of a driver. */
static bool check_is_needed(const struct judgement *judgement, const struct check *check)
{
    const unsigned grave = 1u << SEVERITY_WARN | 1u << SEVERITY_FAIL;
    const struct rule *rule = rule_find(check->code);
    return rule == NULL || (rule->severities[judgement->purpose] & grave) != 0;
}

/* From the findings, not the counts: a check that warns and lacks a fact too counts as unknown. */
static enum exit_code judgement_exit_code(const struct judgement *judgement)
{
    enum severity limit = judgement->strict ? SEVERITY_WARN : SEVERITY_FAIL;
    for (size_t i = 0; i < judgement->finding_count; i++)
        if (finding_counts(judgement->findings[i]) && judgement->findings[i]->severity >= limit)
            return EXIT_FOUND;
    for (size_t i = 0; i < judgement->check_count; i++)
        if (judgement->checks[i].status == CHECK_UNKNOWN &&
            check_is_needed(judgement, &judgement->checks[i]))
            return EXIT_UNKNOWN;
    return EXIT_DONE;
}

struct ordering {
    struct finding *const *from;
    size_t count;
    bool *taken;
    struct finding **to;
    size_t placed;
};

/* Puts the finding at index, and behind it what follows from it. */
static void ordering_place(struct ordering *ordering, size_t index)
{
    struct finding *finding = ordering->from[index];
    ordering->taken[index] = true;
    ordering->to[ordering->placed++] = finding;
    for (size_t i = 0; i < ordering->count; i++)
        if (!ordering->taken[i] && string_equal(ordering->from[i]->caused_by, finding->code))
            ordering_place(ordering, i);
}

/* The gravest first, else as in the table; consequences behind their cause. */
static void judgement_order(struct judgement *judgement)
{
    if (judgement->finding_count == 0)
        return;
    size_t count = judgement->finding_count;
    AUTO_FREE bool *taken = mem_alloc(count * sizeof(bool));
    struct ordering ordering = {
        .from = judgement->findings,
        .count = count,
        .taken = taken,
        .to = mem_resize(NULL, count, sizeof(struct finding *)),
    };
    for (int severity = SEVERITY_FAIL; severity >= SEVERITY_INFO; severity--)
        for (size_t i = 0; i < count; i++)
            if (!taken[i] && (int)ordering.from[i]->severity == severity &&
                finding_counts(ordering.from[i]))
                ordering_place(&ordering, i);
    free(judgement->findings);
    judgement->findings = ordering.to;
    judgement->finding_capacity = count;
}

struct judgement *rules_judge(const struct facts *facts, struct manifest *manifest,
                              const struct judge_options *options)
{
    struct judgement *judgement = mem_alloc(sizeof(*judgement));
    facts_watch(facts, true);
    purpose_choose(facts, manifest, options, judgement);
    struct lacking_fact purpose_lacks = {.group = NULL};
    if (!options->purpose_given && !options->tree)
        purpose_lacks = lacking_first(facts, manifest, false);
    facts_watch(facts, false);
    struct rule_context context = {
        .facts = facts,
        .manifest = manifest,
        .purpose = judgement->purpose,
        .purpose_given = options->purpose_given,
        .purpose_lacks = purpose_lacks,
        .requirements = options->requirements,
        .choices = options->choices,
        .judgement = judgement,
    };
    bool all = options->only == NULL || options->only->count == 0;
    for (const struct rule *rule = rule_table; rule->code; rule++)
        if (all || list_names(options->only, rule))
            rule_run(rule, &context, options);
    sudo_settle(facts, judgement);
    judgement_order(judgement);
    judgement_count(judgement);
    judgement->strict = options->strict;
    judgement->exit_code = judgement_exit_code(judgement);
    return judgement;
}
