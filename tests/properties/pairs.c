/* SPDX-License-Identifier: MIT */
/* Two faults are two findings: a fault is what tells a machine of the bench from the healthy one
 * that is most like it, and of that what the finding needs. On a healthy machine that has each
 * fault by itself, and both together, both are found, neither is called a consequence of the other
 * unless its rule says that it may be, and on top is the graver one, or the one that stands first
 * in the table. */
#include "properties/pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/engine/rule.h"
#include "rules/rules.h"

/* At most so many facts make a fault; more is another machine. */
#define FAULT_FACTS 400

struct change {
    const char *group, *name;
    const struct fact *before, *after; /* NULL: not recorded */
};

/* What of a machine with a fault makes it so, in the healthy one that is most like it. */
struct fault {
    const struct machine *machine, *like;
    const char *code; /* of its top finding */
    struct change changes[FAULT_FACTS];
    size_t count;
};

/* Two faults, and the healthy machine that gets both. */
struct pair {
    struct pairs *pairs;
    const struct machine *healthy;
    const struct fault *first, *second;
};

struct bench {
    struct pairs *pairs;
    struct machine *machines;
    size_t count;
    const struct machine **healthy;
    size_t healthy_count;
    struct fault *faults;
    size_t fault_count;
    struct strlist seen; /* the pairs that were judged */
};

static bool same_list(const struct strlist *a, const struct strlist *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++)
        if (!string_equal(a->items[i], b->items[i]))
            return false;
    return a->count == b->count;
}

static bool same_fact(const struct fact *a, const struct fact *b)
{
    if (a == NULL || b == NULL || a->state != b->state)
        return a == b;
    if (a->state != FACT_VALUE)
        return true;
    if (a->type != b->type)
        return false;
    if (a->type == FACT_LIST)
        return same_list(&a->list, &b->list);
    return (a->type == FACT_STRING    ? string_equal(a->string, b->string)
            : a->type == FACT_INTEGER ? a->integer == b->integer
                                      : a->boolean == b->boolean);
}

static bool add_change(struct fault *fault, size_t most, const char *group, const char *name)
{
    const struct fact *before = facts_get(fault->like->facts, group, name);
    const struct fact *after = facts_get(fault->machine->facts, group, name);
    if (same_fact(before, after))
        return true;
    if (fault->count >= most)
        return false;
    fault->changes[fault->count++] = (struct change){group, name, before, after};
    return true;
}

/* False: there are more than most. With added: only facts that the healthy machine lacks. */
static bool add_changes(struct fault *fault, size_t most, const struct facts *from, bool added)
{
    for (size_t i = 0; i < facts_group_count(from); i++) {
        const char *group = facts_group_at(from, i);
        for (size_t k = 0; k < facts_count(from, group); k++) {
            const char *name = facts_at(from, group, k)->name;
            if (added && facts_get(fault->like->facts, group, name))
                continue;
            if (!add_change(fault, most, group, name))
                return false;
        }
    }
    return true;
}

/* In WSL the driver is Windows's: no other machine is like one there. */
static bool same_place(const struct machine *a, const struct machine *b)
{
    int64_t wsl;
    return facts_integer(a->facts, "machine", "wsl", &wsl) ==
           facts_integer(b->facts, "machine", "wsl", &wsl);
}

/* Whether a healthy machine is like it at all. */
static bool find_fault(const struct bench *bench, const struct machine *machine,
                       struct fault *ret_fault)
{
    bool any = false;
    size_t most = FAULT_FACTS;
    for (size_t i = 0; i < bench->healthy_count && most > 0; i++) {
        struct fault fault = {.machine = machine, .like = bench->healthy[i]};
        if (!same_list(&fault.like->words, &machine->words) || !same_place(fault.like, machine) ||
            !add_changes(&fault, most, fault.like->facts, false) ||
            !add_changes(&fault, most, machine->facts, true) || fault.count == 0)
            continue;
        any = true;
        most = fault.count - 1;
        *ret_fault = fault;
    }
    return any;
}

static void copy_fact(struct facts *to, const char *group, const struct fact *fact)
{
    if (fact->state == FACT_ABSENT)
        facts_set_absent(to, group, fact->name, fact->source);
    else if (fact->state == FACT_UNKNOWN)
        facts_set_unknown(to, group, fact->name, fact->reason, fact->source);
    else if (fact->state == FACT_SKIPPED)
        facts_set_skipped(to, group, fact->name, fact->reason, fact->source);
    else if (fact->type == FACT_STRING)
        facts_set_string(to, group, fact->name, fact->string, fact->source);
    else if (fact->type == FACT_INTEGER)
        facts_set_integer(to, group, fact->name, fact->integer, fact->source);
    else if (fact->type == FACT_BOOLEAN)
        facts_set_boolean(to, group, fact->name, fact->boolean, fact->source);
    else
        facts_set_list(to, group, fact->name, &fact->list, fact->source);
}

static const struct change *change_of(const struct fault *fault, const char *group,
                                      const char *name)
{
    for (size_t i = 0; fault && i < fault->count; i++)
        if (string_equal(fault->changes[i].group, group) &&
            string_equal(fault->changes[i].name, name))
            return &fault->changes[i];
    return NULL;
}

static void add_new(struct facts *facts, const struct fault *fault)
{
    for (size_t i = 0; fault && i < fault->count; i++)
        if (fault->changes[i].before == NULL)
            copy_fact(facts, fault->changes[i].group, fault->changes[i].after);
}

/* The healthy machine with the faults; second NULL: with one. */
static struct facts *with_faults(const struct facts *healthy, const struct fault *first,
                                 const struct fault *second)
{
    struct facts *facts = facts_new();
    for (size_t i = 0; i < facts_group_count(healthy); i++) {
        const char *group = facts_group_at(healthy, i);
        for (size_t k = 0; k < facts_count(healthy, group); k++) {
            const struct fact *fact = facts_at(healthy, group, k);
            const struct change *change = change_of(first, group, fact->name);
            change = change ? change : change_of(second, group, fact->name);
            if (change == NULL || change->after)
                copy_fact(facts, group, change ? change->after : fact);
        }
    }
    add_new(facts, first);
    add_new(facts, second);
    return facts;
}

static struct judgement *judge_with(const struct machine *healthy, const struct fault *first,
                                    const struct fault *second)
{
    struct facts *facts = with_faults(healthy->facts, first, second);
    struct judgement *judgement = machine_judge(healthy, facts);
    facts_free(facts);
    return judgement;
}

/* A judge that takes whatever else it finds for a consequence of the first. */
static void plant(struct judgement *judgement)
{
    for (size_t i = 1; i < judgement->finding_count; i++)
        judgement->findings[i]->caused_by = judgement->findings[0]->code;
}

static bool is_own(const struct finding *finding)
{
    return finding->caused_by == NULL && finding->severity != SEVERITY_INFO;
}

static bool is_healthy(const struct judgement *judgement)
{
    for (size_t i = 0; i < judgement->finding_count; i++)
        if (is_own(judgement->findings[i]))
            return false;
    return judgement->exit_code == EXIT_DONE;
}

static const struct finding *find(const struct judgement *judgement, const char *code)
{
    for (size_t i = 0; i < judgement->finding_count; i++)
        if (string_equal(judgement->findings[i]->code, code))
            return judgement->findings[i];
    return NULL;
}

static const struct check *check_of(const struct judgement *judgement, const char *code)
{
    for (size_t i = 0; i < judgement->check_count; i++)
        if (string_equal(judgement->checks[i].code, code))
            return &judgement->checks[i];
    return NULL;
}

/* Whether the rule of code says that its finding may follow from cause. */
static bool may_follow(const char *code, const char *causing_code)
{
    const struct rule *rule = rule_find(code), *causing = rule_find(causing_code);
    AUTO_STRLIST struct strlist causes = {0};
    if (rule->symptom)
        return true;
    if (rule->follows == NULL)
        return false;
    strlist_split(&causes, rule->follows, ' ');
    return strlist_has(&causes, causing->cause);
}

/* The machines of a pair, as --take takes them. */
static char *pair_name(const struct pair *pair)
{
    return mem_printf("%s+%s+%s+%s+%s", pair->healthy->name, pair->first->machine->name,
                      pair->first->like->name, pair->second->machine->name,
                      pair->second->like->name);
}

static void report(const struct pair *pair, const char *code, const char *other, const char *wrong,
                   const char *reason)
{
    AUTO_FREE char *name = pair_name(pair);
    pair->pairs->violations++;
    printf("%s\tbeside %s\t%s\t%s\t%s\n", code, other, wrong, name, reason ? reason : "");
}

/* What became of the finding of one fault. A check that says why it does not apply has the other
 * fault in its way: no GPU, or one that does not answer. */
static void compare(const struct pair *pair, const char *code, const char *other,
                    const struct judgement *joined)
{
    const struct finding *after = find(joined, code);
    const struct check *check = check_of(joined, code);
    if (after == NULL && check && check->status == CHECK_SKIP && check->reason)
        pair->pairs->excluded++;
    else if (after == NULL)
        report(pair, code, other, check && check->status == CHECK_PASS ? "passes" : "is not named",
               check ? check->reason : NULL);
    else if (after->caused_by && !may_follow(code, after->caused_by))
        report(pair, code, other, "is called a consequence", after->caused_by);
}

static bool comes_first(const struct finding *a, const struct finding *b)
{
    return a->severity != b->severity ? a->severity > b->severity
                                      : rule_find(a->code) < rule_find(b->code);
}

static void compare_top(const struct pair *pair, const struct judgement *joined)
{
    const struct finding *a = find(joined, pair->first->code);
    const struct finding *b = find(joined, pair->second->code);
    if (a == NULL || b == NULL || a->caused_by || b->caused_by)
        return; /* reported, or what it follows from is on top */
    if (!comes_first(a, b)) {
        const struct finding *c = a;
        a = b;
        b = c;
    }
    if (joined->findings[0] != a && comes_first(a, joined->findings[0]))
        report(pair, a->code, b->code, "is not on top", joined->findings[0]->code);
}

/* Whether the fault is found in the healthy machine, as the first thing. */
static bool shows(const struct machine *healthy, const struct fault *fault)
{
    struct judgement *judgement = judge_with(healthy, fault, NULL);
    bool found = judgement->finding_count > 0 && is_own(judgement->findings[0]) &&
                 string_equal(judgement->findings[0]->code, fault->code);
    judgement_free(judgement);
    return found;
}

/* Whether the healthy machine has what the fault changes, and the fault is found there. */
static bool fits(const struct machine *healthy, const struct fault *fault)
{
    if (!same_list(&healthy->words, &fault->machine->words))
        return false;
    for (size_t i = 0; i < fault->count; i++) {
        const struct change *change = &fault->changes[i];
        if (!same_fact(change->before, facts_get(healthy->facts, change->group, change->name)))
            return false;
    }
    return shows(healthy, fault);
}

/* Leaves out what the finding does not need: first large parts of the changes, then small ones. */
static void reduce(struct fault *fault)
{
    for (size_t part = (fault->count + 1) / 2; part > 0; part /= 2) {
        for (size_t at = 0; at < fault->count;) {
            struct fault less = *fault;
            size_t size = at + part < fault->count ? part : fault->count - at;
            memmove(&less.changes[at], &less.changes[at + size],
                    (fault->count - at - size) * sizeof(struct change));
            less.count -= size;
            if (less.count > 0 && shows(fault->like, &less))
                *fault = less;
            else
                at += size;
        }
    }
}

static bool independent(const struct fault *first, const struct fault *second)
{
    for (size_t i = 0; i < first->count; i++)
        for (size_t k = 0; k < second->count; k++)
            if (string_equal(first->changes[i].group, second->changes[k].group))
                return false;
    return !string_equal(first->code, second->code);
}

static void judge_pair(const struct pair *pair)
{
    struct judgement *joined = judge_with(pair->healthy, pair->first, pair->second);
    if (pair->pairs->plant)
        plant(joined);
    pair->pairs->variations++;
    compare(pair, pair->first->code, pair->second->code, joined);
    compare(pair, pair->second->code, pair->first->code, joined);
    compare_top(pair, joined);
    judgement_free(joined);
}

static bool is_wanted(struct bench *bench, const struct pair *pair)
{
    if (pair->first == pair->second || !independent(pair->first, pair->second))
        return false;
    AUTO_FREE char *whole = pair_name(pair);
    bool turn = strcmp(pair->first->code, pair->second->code) > 0;
    AUTO_FREE char *codes = mem_printf("%s+%s", (turn ? pair->second : pair->first)->code,
                                       (turn ? pair->first : pair->second)->code);
    if (bench->pairs->take)
        return string_equal(bench->pairs->take, whole);
    return strlist_add_new(&bench->seen, codes);
}

/* The pairs of faults that fit the healthy machine, at most `most` of them; of two codes one pair.
 */
static void pairs_of(struct bench *bench, const struct machine *healthy, size_t most)
{
    struct pairs *pairs = bench->pairs;
    const struct fault **fitting = mem_alloc((bench->fault_count + 1) * sizeof(*fitting));
    size_t count = 0;
    for (size_t i = 0; i < bench->fault_count; i++)
        if (fits(healthy, &bench->faults[i]))
            fitting[count++] = &bench->faults[i];
    size_t all = count * count, start = all ? random_below(&pairs->random, all) : 0;
    for (size_t i = 0; i < all && most > 0 && pairs->variations < pairs->most; i++) {
        /* The step is a prime number: each once, and the next is another first one. */
        size_t at = (start + i * 1000003) % all;
        struct pair pair = {pairs, healthy, fitting[at / count], fitting[at % count]};
        if (!is_wanted(bench, &pair))
            continue;
        judge_pair(&pair);
        most--;
    }
    free(fitting);
}

static void collect_healthy(struct bench *bench)
{
    for (size_t i = 0; i < bench->count; i++) {
        struct judgement *judgement = machine_judge(&bench->machines[i], bench->machines[i].facts);
        if (is_healthy(judgement))
            bench->healthy[bench->healthy_count++] = &bench->machines[i];
        judgement_free(judgement);
    }
}

/* A line of the log that nothing explains is none: another fault may explain it. */
static bool is_fault(const struct finding *finding)
{
    return is_own(finding) && !string_starts(finding->cause, "log_line");
}

static void collect_faults(struct bench *bench)
{
    size_t most = bench->pairs->most;
    for (size_t i = 0; i < bench->count && bench->fault_count < most; i++) {
        struct fault *fault = &bench->faults[bench->fault_count];
        struct judgement *judgement = machine_judge(&bench->machines[i], bench->machines[i].facts);
        if (judgement->finding_count > 0 && is_fault(judgement->findings[0]) &&
            find_fault(bench, &bench->machines[i], fault)) {
            fault->code = judgement->findings[0]->code;
            if (shows(fault->like, fault)) {
                reduce(fault);
                bench->fault_count++;
            }
        }
        judgement_free(judgement);
    }
}

void pairs_check(struct pairs *pairs, struct machine *machines, size_t count)
{
    struct bench bench = {.pairs = pairs, .machines = machines, .count = count};
    bench.healthy = mem_alloc((count + 1) * sizeof(*bench.healthy));
    bench.faults = mem_alloc((count + 1) * sizeof(*bench.faults));
    collect_healthy(&bench);
    collect_faults(&bench);
    pairs->machines += bench.fault_count;
    for (size_t i = 0; i < bench.healthy_count && pairs->variations < pairs->most; i++)
        pairs_of(&bench, bench.healthy[i], pairs->take ? 1 : 1 + pairs->most / 4);
    free(bench.healthy);
    free(bench.faults);
    strlist_free(&bench.seen);
}
