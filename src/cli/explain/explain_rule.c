/* SPDX-License-Identifier: MIT */
#include "base/wrap.h"
#include "cli/explain/explain.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"

static void append_part(const char *heading, const char *words, unsigned columns,
                        struct text *output)
{
    if (words == NULL)
        return;
    text_printf(output, "\n%s\n", heading);
    wrap_paragraph(output, columns, 2, words);
}

void explain_by_hand(const struct rule *rule, struct strlist *list)
{
    if (rule->by_hand)
        strlist_split(list, rule->by_hand, '\n');
}

void explain_follows(const struct rule *rule, struct strlist *list)
{
    if (rule->follows)
        strlist_split(list, rule->follows, ' ');
}

/* Commands are never broken: they can be copied. */
static void append_by_hand(const struct rule *rule, struct text *output)
{
    AUTO_STRLIST struct strlist lines = {0};
    explain_by_hand(rule, &lines);
    if (lines.count > 0)
        text_append(output, "\nhow to check by hand\n");
    for (size_t i = 0; i < lines.count; i++)
        text_printf(output, "  %s\n", lines.items[i]);
}

static void append_follows(const struct rule *rule, unsigned columns, struct text *output)
{
    AUTO_STRLIST struct strlist causes = {0};
    explain_follows(rule, &causes);
    AUTO_FREE char *words = strlist_join(&causes, ", ");
    if (rule->symptom)
        append_part("what may have caused it",
                    "the causes that gpuenv explain lists for the error number", columns, output);
    else if (causes.count > 0)
        append_part("what may have caused it", words, columns, output);
}

char *explain_severities(const struct rule *rule, enum purpose purpose, const char *between)
{
    AUTO_STRLIST struct strlist names = {0};
    for (int severity = SEVERITY_FAIL; severity >= SEVERITY_INFO; severity--)
        if (rule->severities[purpose] & 1u << severity)
            strlist_add(&names, severity_name((enum severity)severity));
    return names.count ? strlist_join(&names, between) : NULL;
}

/* "fail with --for run and container, info with --for build" */
static void append_severities(const struct rule *rule, unsigned columns, struct text *output)
{
    AUTO_FREE char *run = explain_severities(rule, PURPOSE_RUN, " or ");
    AUTO_FREE char *build = explain_severities(rule, PURPOSE_BUILD, " or ");
    AUTO_FREE char *container = explain_severities(rule, PURPOSE_CONTAINER, " or ");
    AUTO_FREE char *words =
        string_equal(run, build) && string_equal(run, container)
            ? mem_string(run)
            : mem_printf("%s with --for run, %s with --for build, %s with --for container",
                         run ? run : "nothing", build ? build : "nothing",
                         container ? container : "nothing");
    append_part("how severe it is", words, columns, output);
}

void explain_rule_text(const struct rule *rule, unsigned columns, struct text *output)
{
    struct wrap wrap;
    wrap_begin(&wrap, output, columns, 0, 2);
    wrap_printf(&wrap, "%s %s: %s", rule->code, rule->cause, rule->title);
    wrap_end(&wrap);
    append_part("what it means", rule->meaning, columns, output);
    append_severities(rule, columns, output);
    append_part("how it is detected", rule->detected, columns, output);
    append_by_hand(rule, output);
    append_part("how to fix it", rule->fix, columns, output);
    append_part("often mistaken for", rule->mistaken, columns, output);
    append_follows(rule, columns, output);
}

static json_t *severities_json(const struct rule *rule)
{
    json_t *object = json_object();
    for (enum purpose purpose = PURPOSE_RUN; purpose <= PURPOSE_CONTAINER; purpose++) {
        json_t *array = json_array();
        for (int severity = SEVERITY_FAIL; severity >= SEVERITY_INFO; severity--)
            if (rule->severities[purpose] & 1u << severity)
                json_array_append_new(array, json_string(severity_name((enum severity)severity)));
        json_object_set_new(object, purpose_name(purpose), array);
    }
    return object;
}

json_t *explain_rule_json(const struct rule *rule)
{
    AUTO_STRLIST struct strlist follows = {0}, by_hand = {0};
    explain_follows(rule, &follows);
    explain_by_hand(rule, &by_hand);
    json_t *object = json_object();
    json_object_set_new(object, "code", json_from_string(rule->code));
    json_object_set_new(object, "cause", json_from_string(rule->cause));
    json_object_set_new(object, "kind", json_string("finding"));
    json_object_set_new(object, "title", json_from_string(rule->title));
    json_object_set_new(object, "block", json_from_string(block_name(rule->block)));
    json_object_set_new(object, "severity", severities_json(rule));
    json_object_set_new(object, "symptom", json_boolean(rule->symptom));
    json_set_list(object, "follows", &follows);
    json_object_set_new(object, "decides", json_from_string(rule->decides));
    json_object_set_new(object, "meaning", json_from_string(rule->meaning));
    json_object_set_new(object, "causes", json_pack("[s]", rule->title));
    json_object_set_new(object, "detected", json_from_string(rule->detected));
    json_set_list(object, "by_hand", &by_hand);
    json_object_set_new(object, "fix", json_pack("[s]", rule->fix));
    json_object_set_new(object, "mistaken", json_from_string(rule->mistaken));
    return object;
}
