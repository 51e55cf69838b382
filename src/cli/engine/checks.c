/* SPDX-License-Identifier: MIT */
#include "cli/engine/checks.h"

#include <strings.h>

#include "base/wrap.h"
#include "manifest/framework/framework.h"
#include "rules/engine/rule.h"
#include "rules/rules.h"

void checks_names(struct strlist *names)
{
    for (const struct rule *rule = rule_table; rule->code; rule++) {
        strlist_add(names, rule->code);
        strlist_add(names, rule->cause);
    }
}

/* A word that names what all checks of a kind are about is no check that was mistyped. */
static bool is_block(const char *word)
{
    for (enum block block = 0; block < BLOCK_COUNT; block++)
        if (strcasecmp(block_name(block), word) == 0)
            return true;
    return false;
}

static bool unknown_check(const struct session *session, const char *word, const char *origin,
                          struct error *error)
{
    AUTO_STRLIST struct strlist candidates = {0};
    checks_names(&candidates);
    usage_error(error, session->program, word, is_block(word) ? NULL : &candidates,
                "%s: no check has the code or cause %s", origin, word);
    AUTO_FREE char *hint =
        manifest_framework_find(session->manifest, word)
            ? mem_printf("to check whether %s runs here: gpuenv doctor --for-framework %s", word,
                         word)
            : mem_string("gpuenv doctor alone runs all checks; --list-checks lists them");
    return usage_hint(error, hint);
}

bool checks_known(const struct session *session, const struct strlist *names, const char *origin,
                  struct error *error)
{
    for (size_t i = 0; names && i < names->count; i++) {
        if (rule_find(names->items[i]))
            continue;
        return unknown_check(session, names->items[i], origin, error);
    }
    return true;
}

static void append_rule(const struct rule *rule, unsigned columns, struct text *output)
{
    struct wrap wrap;
    text_append(output, "  ");
    wrap_begin(&wrap, output, columns, 2, 4);
    wrap_printf(&wrap, "%s %s: %s", rule->code, rule->cause, rule->title);
    wrap_end(&wrap);
}

void checks_append_list(unsigned columns, struct text *output)
{
    for (enum block block = 0; block < BLOCK_COUNT; block++) {
        bool first = true;
        for (const struct rule *rule = rule_table; rule->code; rule++) {
            if (rule->block != block)
                continue;
            if (first)
                text_printf(output, "%s%s\n", output->size > 0 ? "\n" : "", block_name(block));
            first = false;
            append_rule(rule, columns, output);
        }
    }
}

void checks_append_json(const struct report_input *input, struct text *output)
{
    AUTO_JSON json_t *envelope = report_envelope(input);
    json_t *list = json_array();
    for (const struct rule *rule = rule_table; rule->code; rule++) {
        json_t *object = json_object();
        json_object_set_new(object, "code", json_from_string(rule->code));
        json_object_set_new(object, "cause", json_from_string(rule->cause));
        json_object_set_new(object, "title", json_from_string(rule->title));
        json_object_set_new(object, "block", json_from_string(block_name(rule->block)));
        json_array_append_new(list, object);
    }
    json_object_set_new(envelope, "rules", list);
    json_append_text(envelope, output);
}
