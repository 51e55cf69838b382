/* SPDX-License-Identifier: MIT */
#include "cli/explain/explain.h"
#include "rules/engine/rule.h"
#include "rules/rules.h"

static json_t *clauses_json(const char *clauses)
{
    AUTO_STRLIST struct strlist list = {0};
    explain_clauses(clauses, &list);
    return json_from_list(&list);
}

json_t *explain_causes_json(const struct strlist *causes)
{
    json_t *array = json_array();
    for (size_t i = 0; i < causes->count; i++) {
        const struct rule *rule = rule_find(causes->items[i]);
        json_t *object = json_object();
        json_object_set_new(object, "code", json_from_string(rule ? rule->code : NULL));
        json_object_set_new(object, "cause", json_from_string(causes->items[i]));
        json_object_set_new(object, "title", json_from_string(rule ? rule->title : NULL));
        AUTO_STRLIST struct strlist commands = {0};
        if (rule)
            explain_by_hand(rule, &commands);
        json_object_set_new(object, "decides", json_from_string(rule ? rule->decides : NULL));
        json_set_list(object, "by_hand", &commands);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *facts_json(const struct strlist *facts)
{
    json_t *array = json_array();
    for (size_t i = 0; i < facts->count; i++) {
        AUTO_STRLIST struct strlist names = {0};
        const char *tells = manifest_error_fact(facts->items[i], &names);
        json_t *object = json_object();
        json_set_list(object, "names", &names);
        json_object_set_new(object, "tells", json_from_string(tells));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *action_json(struct manifest *manifest, const char *word)
{
    if (word == NULL)
        return json_null();
    const struct manifest_error_action *action = manifest_error_action(manifest, word);
    json_t *object = json_object();
    json_object_set_new(object, "action", json_from_string(word));
    json_object_set_new(object, "meaning", json_from_string(action ? action->meaning : NULL));
    return object;
}

json_t *explain_error_json(struct manifest *manifest, enum manifest_error_list list,
                           const struct manifest_error *row)
{
    json_t *object = json_object();
    AUTO_FREE char *code = row->text ? mem_string(row->text) : mem_printf("%u", row->code);
    json_object_set_new(object, "code", json_from_string(code));
    json_object_set_new(object, "cause",
                        json_from_string(row->name           ? row->name
                                         : row->runtime_name ? row->runtime_name
                                                             : row->text));
    json_object_set_new(object, "kind", json_from_string(manifest_error_list_words[list]));
    json_object_set_new(object, "number", row->text ? json_null() : json_integer(row->code));
    json_object_set_new(object, "name", json_from_string(row->name));
    json_object_set_new(object, "runtime_name", json_from_string(row->runtime_name));
    json_object_set_new(object, "words", json_from_string(row->words));
    if (list == ERRORS_CUDNN) {
        json_object_set_new(object, "older_name", json_from_string(row->older_name));
        json_object_set_new(object, "older_number",
                            row->older_code ? json_integer(row->older_code) : json_null());
    }
    json_object_set_new(object, "meaning", json_from_string(row->meaning));
    json_object_set_new(object, "causes", clauses_json(row->cause));
    json_object_set_new(object, "findings", explain_causes_json(&row->findings));
    json_object_set_new(object, "facts", facts_json(&row->facts));
    json_object_set_new(object, "remaining", clauses_json(row->remaining));
    json_object_set_new(object, "command", json_from_string(row->command));
    json_object_set_new(object, "needs_root", json_boolean(row->root != NULL));
    if (list == ERRORS_XID) {
        json_object_set_new(object, "action", action_json(manifest, row->action));
        json_object_set_new(object, "investigate", action_json(manifest, row->investigate));
        json_object_set_new(object, "application", json_boolean(row->application != NULL));
    }
    json_object_set_new(object, "fix", clauses_json(row->fix));
    json_object_set_new(object, "notes", json_from_string(row->notes));
    json_object_set_new(object, "row", json_from_string(row->id));
    json_object_set_new(object, "source", json_from_string(row->source));
    json_object_set_new(object, "confidence", json_from_string(row->confidence));
    json_object_set_new(object, "meaning_confidence", json_from_string(row->meaning_confidence));
    return object;
}
