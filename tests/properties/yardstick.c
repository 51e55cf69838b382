/* SPDX-License-Identifier: MIT */
/* No yardstick, no pass: what a rule found stays when a fact that the rules asked for is taken
 * away, or its check says that it cannot tell and what is missing. */
#include "properties/yardstick.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "properties/rows.h"
#include "properties/take.h"
#include "properties/trace.h"
#include "rules/engine/rule.h"
#include "rules/rules.h"

/* A check that cannot tell, or does not apply, says what is missing. */
static bool names_it(const char *reason, const struct asked *asked)
{
    if (reason == NULL)
        return false;
    if (asked == NULL) /* a row */
        return strstr(reason, "manifest") != NULL;
    return strstr(reason, TAKEN) || strstr(reason, asked->group) ||
           (asked->name && strstr(reason, asked->name));
}

static const struct check *check_of(const struct judgement *judgement, const char *code)
{
    for (size_t i = 0; i < judgement->check_count; i++)
        if (string_equal(judgement->checks[i].code, code))
            return &judgement->checks[i];
    return NULL;
}

static bool is_finding(enum check_status status)
{
    return status == CHECK_FAIL || status == CHECK_WARN;
}

/* What is wrong with how a check ends now; NULL: nothing. */
static const char *fault_of(const struct check *before, const struct check *after,
                            const struct asked *asked)
{
    if (before->status == CHECK_PASS || before->status == CHECK_SKIP)
        return NULL;
    if (after == NULL || after->status == CHECK_PASS)
        return "passes";
    if (is_finding(before->status) && !is_finding(after->status) && !names_it(after->reason, asked))
        return after->status == CHECK_SKIP ? "skips and does not say what is missing"
                                           : "is unknown and does not say what is missing";
    if (before->status == CHECK_UNKNOWN && after->status == CHECK_SKIP &&
        !names_it(after->reason, asked))
        return "was unknown, skips and does not say what is missing";
    return NULL;
}

/* 0 when it is the best of both. */
static bool exit_is_better(const struct judgement *before, const struct judgement *after)
{
    return before->exit_code != EXIT_DONE && after->exit_code == EXIT_DONE;
}

struct variation {
    const struct machine *machine;
    const struct judgement *before;
    const struct framework_choices *choices; /* resolved before */
    const struct strlist *resolved;          /* the groups that the resolver asked */
    const struct asked *asked;               /* NULL: a row is taken */
    enum extent extent;
    enum taking taking;
    const struct row_asked *row;
};

static const char *const extents[] = {
    [EXTENT_FACT] = "fact", [EXTENT_INSTANCE] = "group", [EXTENT_KIND] = "kind"};

/* "module version unknown", as --take takes it. */
static char *variation_name(const struct variation *variation)
{
    const struct asked *asked = variation->asked;
    if (asked == NULL)
        return mem_string(variation->row->key);
    const char *name = variation->extent == EXTENT_FACT ? asked->name : extents[variation->extent];
    return mem_printf("%s.%s=%s", asked->group, name, taking_name(variation->taking));
}

static void report(struct yardstick *yardstick, const struct variation *variation, const char *code,
                   const char *fault, const char *reason)
{
    AUTO_FREE char *name = variation_name(variation);
    yardstick->violations++;
    printf("%s\t%s\t%s\t%s\t%s\n", code, name, fault, variation->machine->name,
           reason ? reason : "");
}

static void compare(struct yardstick *yardstick, const struct variation *variation,
                    const struct judgement *after)
{
    bool any = false;
    const struct judgement *before = variation->before;
    for (size_t i = 0; i < before->check_count; i++) {
        const struct check *check = check_of(after, before->checks[i].code);
        const char *fault = fault_of(&before->checks[i], check, variation->asked);
        if (fault == NULL)
            continue;
        any = true;
        report(yardstick, variation, before->checks[i].code, fault, check ? check->reason : NULL);
    }
    if (!any && variation->taking != TAKE_SKIPPED && exit_is_better(before, after))
        report(yardstick, variation, "exit", "the exit code is better", NULL);
}

/* Whether a rule that found something, or could not tell, asked for it. */
static bool matters(const struct judgement *judgement, const struct asked *asked)
{
    if (asked->resolver)
        return true;
    for (size_t i = 0; i < judgement->check_count && i < TRACE_RULES; i++)
        if (asked->rules[i] && (is_finding(judgement->checks[i].status) ||
                                judgement->checks[i].status == CHECK_UNKNOWN))
            return true;
    return false;
}

/* A judge for which a rule that lacks an answer passes. */
static void plant(struct judgement *judgement)
{
    for (size_t i = 0; i < judgement->check_count; i++)
        if (judgement->checks[i].status == CHECK_UNKNOWN)
            judgement->checks[i].status = CHECK_PASS;
}

/* What the resolver did not ask for does not change what it resolves: half of the time is saved. */
static struct judgement *judge_again(const struct variation *variation, const struct facts *facts)
{
    const struct asked *asked = variation->asked;
    bool again =
        variation->extent == EXTENT_KIND ||
        (variation->extent == EXTENT_FACT ? asked->resolver
                                          : strlist_has(variation->resolved, asked->group));
    if (again)
        return machine_judge(variation->machine, facts);
    return machine_judge_with(variation->machine, facts, variation->choices);
}

static void vary(struct yardstick *yardstick, const struct variation *variation)
{
    struct taken taken;
    AUTO_FREE char *name = variation_name(variation);
    if (yardstick->take && !string_equal(yardstick->take, name))
        return;
    if (random_below(&yardstick->random, 1000000) >= yardstick->share)
        return;
    if (!take_away(variation->machine->facts, variation->asked, variation->extent,
                   variation->taking, &taken))
        return;
    struct judgement *after = judge_again(variation, taken.facts);
    if (yardstick->plant)
        plant(after);
    yardstick->variations++;
    compare(yardstick, variation, after);
    judgement_free(after);
    put_back(&taken);
}

/* What is taken for a question: a fact, and once for each group and kind, all of it. */
static void vary_asked(struct yardstick *yardstick, struct variation *variation,
                       struct strlist *groups)
{
    const struct asked *asked = variation->asked;
    for (int taking = 0; taking < TAKINGS; taking++) {
        variation->taking = (enum taking)taking;
        variation->extent = EXTENT_FACT;
        if (asked->name)
            vary(yardstick, variation);
    }
    variation->extent = asked->name ? EXTENT_INSTANCE : EXTENT_KIND;
    if (!strlist_add_new(groups, asked->name ? asked->group : asked->key))
        return;
    for (int taking = 0; taking < TAKINGS; taking++) {
        variation->taking = (enum taking)taking;
        vary(yardstick, variation);
    }
}

static bool any_rests_on(const struct judgement *judgement, const struct row_asked *row)
{
    for (size_t i = 0; i < judgement->finding_count; i++)
        if (judgement->findings[i]->manifest && *row->id &&
            strstr(judgement->findings[i]->manifest, row->id))
            return true;
    return false;
}

/* Rows that were looked up, or that a finding rests on; of whole tables one in so many. */
#define WHOLE_SHARE 50

static void vary_row(struct yardstick *yardstick, const struct variation *variation)
{
    const struct row_asked *row = variation->row;
    if (yardstick->take && !string_equal(yardstick->take, row->key))
        return;
    if (random_below(&yardstick->random, 1000000) >= yardstick->share)
        return;
    if (yardstick->take == NULL && row->whole && !any_rests_on(variation->before, row) &&
        random_below(&yardstick->random, WHOLE_SHARE) > 0)
        return;
    rows_take(row->key);
    struct judgement *after = machine_judge(variation->machine, variation->machine->facts);
    rows_take(NULL);
    if (yardstick->plant)
        plant(after);
    yardstick->variations++;
    compare(yardstick, variation, after);
    judgement_free(after);
}

void yardstick_check_rows(struct yardstick *yardstick, const struct machine *machine)
{
    struct rows rows = {.count = 0};
    rows_begin(&rows);
    struct judgement *before = machine_judge(machine, machine->facts);
    rows_begin(NULL);
    yardstick->machines++;
    for (size_t i = 0; before->finding_count && i < rows.count; i++) {
        struct variation variation = {.machine = machine, .before = before, .row = &rows.items[i]};
        vary_row(yardstick, &variation);
    }
    judgement_free(before);
    rows_free(&rows);
}

static void collect_resolved(const struct trace *trace, struct strlist *groups)
{
    for (size_t i = 0; i < trace->count; i++)
        if (trace->items[i].resolver)
            strlist_add_new(groups, trace->items[i].group);
}

void yardstick_check(struct yardstick *yardstick, const struct machine *machine)
{
    struct trace trace = {.count = 0};
    struct framework_choices choices;
    AUTO_STRLIST struct strlist groups = {0}, resolved = {0};
    trace_begin(&trace);
    machine_choose(machine, machine->facts, &choices);
    struct judgement *before = machine_judge_with(machine, machine->facts, &choices);
    trace_begin(NULL);
    collect_resolved(&trace, &resolved);
    yardstick->machines++;
    for (size_t i = 0; i < trace.count; i++) {
        struct variation variation = {.machine = machine,
                                      .before = before,
                                      .choices = &choices,
                                      .resolved = &resolved,
                                      .asked = &trace.items[i]};
        if (matters(before, &trace.items[i]))
            vary_asked(yardstick, &variation, &groups);
    }
    judgement_free(before);
    framework_choices_free(&choices);
    trace_free(&trace);
}
