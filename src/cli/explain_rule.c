/* SPDX-License-Identifier: MIT */
#include "cli/explain.h"
#include "base/wrap.h"

static void append_part(const char *heading, const char *words, struct text *output)
{
    if (words == NULL)
        return;
    text_printf(output, "\n%s\n", heading);
    wrap_paragraph(output, 80, 2, words);
}

void explain_rule_text(const struct rule *rule, struct text *output)
{
    struct wrap wrap;
    wrap_begin(&wrap, output, 80, 0, 2);
    wrap_printf(&wrap, "%s %s: %s", rule->code, rule->cause, rule->title);
    wrap_end(&wrap);
    append_part("what it means", rule->meaning, output);
    append_part("how it is detected", rule->detected, output);
    append_part("how it is fixed", rule->fix, output);
    append_part("what it is mistaken for", rule->mistaken, output);
}

json_t *explain_rule_json(const struct rule *rule)
{
    json_t *object = json_object();
    json_object_set_new(object, "code", json_from_string(rule->code));
    json_object_set_new(object, "cause", json_from_string(rule->cause));
    json_object_set_new(object, "kind", json_string("finding"));
    json_object_set_new(object, "title", json_from_string(rule->title));
    json_object_set_new(object, "block", json_from_string(block_name(rule->block)));
    json_object_set_new(object, "meaning", json_from_string(rule->meaning));
    json_object_set_new(object, "causes", json_pack("[s]", rule->title));
    json_object_set_new(object, "detected", json_from_string(rule->detected));
    json_object_set_new(object, "fix", json_pack("[s]", rule->fix));
    json_object_set_new(object, "mistaken", json_from_string(rule->mistaken));
    return object;
}
