/* SPDX-License-Identifier: MIT */
#include "cli/checks.h"
#include "cli/command.h"
#include "report/wrap.h"

static const struct option *const options[] = {
    &option_format, &option_json, &option_output, &option_help, NULL,
};

static void append_part(const char *heading, const char *words, struct text *output)
{
    if (words == NULL)
        return;
    text_printf(output, "\n%s\n", heading);
    wrap_paragraph(output, 80, 2, words);
}

static void append_rule(const struct rule *rule, struct text *output)
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

static void append_json(const struct report_input *input, const struct rule *rule,
                        struct text *output)
{
    AUTO_JSON json_t *envelope = report_envelope(input);
    json_object_set_new(envelope, "code", json_from_string(rule->code));
    json_object_set_new(envelope, "cause", json_from_string(rule->cause));
    json_object_set_new(envelope, "title", json_from_string(rule->title));
    json_object_set_new(envelope, "block", json_from_string(block_name(rule->block)));
    json_object_set_new(envelope, "meaning", json_from_string(rule->meaning));
    json_object_set_new(envelope, "causes", json_pack("[s]", rule->title));
    json_object_set_new(envelope, "detected", json_from_string(rule->detected));
    json_object_set_new(envelope, "fix", json_pack("[s]", rule->fix));
    json_object_set_new(envelope, "mistaken", json_from_string(rule->mistaken));
    json_append_text(envelope, output);
}

/* One rule, or without a name all of them. */
static void append(const struct report_input *input, const struct rule *rule, bool json,
                   struct text *output)
{
    if (rule && json)
        append_json(input, rule, output);
    else if (rule)
        append_rule(rule, output);
    else if (json)
        checks_append_json(input, output);
    else
        checks_append_list(output);
}

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    const char *format = session_format(arguments);
    const struct strlist *words = &arguments->words;
    bool json = string_equal(format, "json");
    if (!json && !string_equal(format, "text"))
        return usage_error(error, session->program, NULL, NULL,
                           "%s: no format \"%s\", there are: text, json",
                           arguments_origin(arguments, "format"), format);
    if (words->count > 1)
        return usage_error(error, session->program, NULL, NULL, "takes one CODE, got %zu",
                           words->count);
    if (!checks_known(session, words, "CODE", error))
        return false;
    AUTO_TEXT struct text text = {0};
    struct report_input input;
    session_input(session, arguments, &input);
    append(&input, words->count ? rule_find(words->items[0]) : NULL, json, &text);
    *ret_exit_code = EXIT_DONE;
    return session_write(arguments, &text, error);
}

const struct command command_explain = {
    .name = "explain",
    .summary = "what a finding means, how it is detected, how it is fixed",
    .usage = "gpuenv explain [OPTION...] [CODE]",
    .details = "Explains a finding by its code (DRV-004) or cause (driver_library_mismatch). "
               "Without CODE all of them are listed.",
    .options = options,
    .run = run,
};
