/* SPDX-License-Identifier: MIT */
#include "cli/explain/explain.h"

#include "cli/engine/checks.h"
#include "cli/engine/command.h"
#include "manifest/manifest.h"
#include "rules/engine/rule.h"
#include "rules/rules.h"

static const struct option *const options[] = {
    &option_manifest, &option_format, &option_json, &option_output, &option_help, NULL,
};

/* What CODE stands for: a rule, or rows of the manifest, or nothing. */
struct subject {
    const struct rule *rule;
    struct manifest_error_hits errors;
};

static bool number_unknown(const struct session *session, const struct manifest_error_hits *hits,
                           struct error *error)
{
    const char *list = hits->list == ERROR_LISTS ? NULL : manifest_error_list_name(hits->list);
    return usage_error(error, session->program, NULL, NULL,
                       "CODE: %s %llu is not in this manifest (%s)", list ? list : "error",
                       (unsigned long long)hits->number, manifest_date(session->manifest));
}

static bool find_subject(const struct session *session, const struct strlist *words,
                         struct subject *ret_subject, struct error *error)
{
    *ret_subject = (struct subject){.rule = NULL};
    if (words->count == 0)
        return true;
    AUTO_FREE char *code = strlist_join(words, " ");
    ret_subject->rule = rule_find(code);
    if (ret_subject->rule)
        return true;
    ret_subject->errors = manifest_error_find(session->manifest, code);
    if (ret_subject->errors.count > 0)
        return true;
    if (!session_manifest_sound(session, error))
        return false;
    if (ret_subject->errors.is_number)
        return number_unknown(session, &ret_subject->errors, error);
    AUTO_STRLIST struct strlist candidates = {0};
    checks_names(&candidates);
    explain_error_names(session->manifest, &candidates);
    usage_error(error, session->program, code, &candidates,
                "CODE: no finding or error is called \"%s\"", code);
    return usage_hint(error, "gpuenv explain lists all findings");
}

static void append_errors(struct manifest *manifest, const struct manifest_error_hits *hits,
                          unsigned columns, struct text *output)
{
    if (hits->count > 1) {
        text_printf(output, "%llu is in %zu lists:", (unsigned long long)hits->number, hits->count);
        size_t named = 0;
        for (enum manifest_error_list list = 0; list < ERROR_LISTS; list++)
            if (hits->rows[list])
                text_printf(output, "%s %s", named++ ? "," : "", manifest_error_list_name(list));
        text_append(output, "\n");
    }
    for (enum manifest_error_list list = 0; list < ERROR_LISTS; list++) {
        if (hits->rows[list] == NULL)
            continue;
        if (output->size > 0)
            text_append(output, "\n");
        explain_error_text(manifest, list, hits->rows[list], columns, output);
    }
}

/* The fields of the first one, and all of them in "explained". */
static void append_json(const struct report_input *input, struct manifest *manifest,
                        const struct subject *subject, struct text *output)
{
    AUTO_JSON json_t *envelope = report_envelope(input);
    json_t *explained = json_array();
    if (subject->rule)
        json_array_append_new(explained, explain_rule_json(subject->rule));
    for (enum manifest_error_list list = 0; list < ERROR_LISTS; list++)
        if (subject->errors.rows[list])
            json_array_append_new(explained,
                                  explain_error_json(manifest, list, subject->errors.rows[list]));
    json_object_update(envelope, json_array_get(explained, 0));
    json_object_set_new(envelope, "explained", explained);
    json_append_text(envelope, output);
}

static void append_all_json(const struct report_input *input, struct text *output)
{
    AUTO_JSON json_t *envelope = report_envelope(input);
    json_t *rules = json_array();
    for (const struct rule *rule = rule_table; rule->code; rule++)
        json_array_append_new(rules, explain_rule_json(rule));
    json_object_set_new(envelope, "rules", rules);
    json_append_text(envelope, output);
}

static void append(const struct report_input *input, struct manifest *manifest,
                   const struct subject *subject, bool json, struct text *output)
{
    bool any = subject->rule || subject->errors.count > 0;
    if (any && json)
        append_json(input, manifest, subject, output);
    else if (subject->rule)
        explain_rule_text(subject->rule, input->columns, output);
    else if (any)
        append_errors(manifest, &subject->errors, input->columns, output);
    else if (json)
        append_all_json(input, output);
    else
        checks_append_list(input->columns, output);
}

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    bool json = string_equal(session_format(arguments), "json");
    struct subject subject;
    if (!session_check_format(session, arguments, error) ||
        !session_load_manifest(session, arguments, error) ||
        !find_subject(session, &arguments->words, &subject, error))
        return false;
    AUTO_TEXT struct text text = {0};
    struct report_input input;
    session_input(session, arguments, &input);
    append(&input, session->manifest, &subject, json, &text);
    *ret_exit_code = EXIT_DONE;
    return session_write(arguments, &text, error);
}

const struct command command_explain = {
    .name = "explain",
    .summary = "what a finding, an error number or an Xid means, and how to fix it",
    .usage = "gpuenv explain [OPTION...] [CODE]",
    .details =
        "CODE is the code (DRV-004) or cause (driver_library_mismatch) of a finding, an error "
        "number (802) or its name (CUDA_ERROR_NO_DEVICE, cudaErrorNoDevice), an Xid from the "
        "kernel log (xid 79), a cuDNN or NCCL status (CUDNN_STATUS_NOT_INITIALIZED, nccl 2), or a "
        "message (\"No devices were found\"). If a number is in several lists (CUDA, NVML, Xids), "
        "all its meanings are shown; put a list's name before the number to see only one: \"nvml "
        "18\", \"cuda 802\". If there are many causes, the first three are shown in full; --json "
        "has all of them. If a text contains several errors, only one is explained: explain each "
        "error separately. Without CODE, all findings are listed.",
    .examples = "gpuenv explain DRV-004\n"
                "gpuenv explain 802\n"
                "gpuenv explain Xid 79\n"
                "gpuenv explain \"no kernel image is available\"",
    .options = options,
    .run = run,
};
