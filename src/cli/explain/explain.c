/* SPDX-License-Identifier: MIT */
#include "cli/explain/explain.h"

#include <string.h>

#include "cli/engine/checks.h"
#include "cli/engine/command.h"
#include "cli/explain/explain_input.h"
#include "cli/explain/explain_page.h"
#include "host/local/standard_input.h"
#include "manifest/manifest.h"
#include "rules/engine/rule.h"
#include "rules/rules.h"

/* How long a pipe is waited for that may be one that nobody writes to. */
#define FIRST_BYTE_MS 2000

static const struct option option_file = {
    .name = "file",
    .argument = "FILE",
    .no_twin = true,
    .once = true,
    .help =
        "explain every known message in FILE, a log of any size, also compressed (.gz, .xz, .zst); "
        "\"-\" is standard input"};

static const struct option *const options[] = {
    &option_file,   &option_manifest, &option_format, &option_json,
    &option_output, &option_help,     NULL,
};

/* What CODE stands for: a rule, or rows of the manifest, or what a text tells, or nothing. */
struct subject {
    const struct rule *rule;
    struct manifest_error_hits errors;
    bool is_text;
    struct explanation explanation;
};

static void subject_clear(struct subject *subject)
{
    explanation_free(&subject->explanation);
}

static bool number_unknown(const struct session *session, const struct manifest_error_hits *hits,
                           struct error *error)
{
    const char *list = hits->list == ERROR_LISTS ? NULL : manifest_error_list_name(hits->list);
    return usage_error(error, session->program, NULL, NULL,
                       "CODE: %s %llu is not in this manifest (%s)", list ? list : "error",
                       (unsigned long long)hits->number, manifest_date(session->manifest));
}

static bool unknown_word(const struct session *session, const char *code, struct error *error)
{
    AUTO_STRLIST struct strlist candidates = {0};
    checks_names(&candidates);
    explain_error_names(session->manifest, &candidates);
    usage_error(error, session->program, code, &candidates,
                "CODE: no finding or error is called \"%s\"", code);
    return usage_hint(error, "gpuenv explain lists all findings");
}

static void explain_words(const struct session *session, const char *words, struct subject *subject)
{
    struct explainer *explainer = explainer_new(session->manifest);
    explainer_feed(explainer, words, strlen(words));
    explainer_end(explainer, &subject->explanation);
    explainer_free(explainer);
}

/* Words that are no code: a message, or what an older search finds in them. */
static bool find_message(const struct session *session, const char *words, struct subject *subject,
                         struct error *error)
{
    explain_words(session, words, subject);
    subject->is_text = subject->explanation.count > 0;
    if (subject->is_text)
        return session_manifest_sound(session, error);
    subject->errors = manifest_error_find(session->manifest, words);
    if (!session_manifest_sound(session, error))
        return false;
    if (subject->errors.count > 0)
        return true;
    if (subject->errors.is_number)
        return number_unknown(session, &subject->errors, error);
    if (strpbrk(words, " \t\n") == NULL)
        return unknown_word(session, words, error);
    subject->is_text = true;
    return true;
}

static bool find_subject(const struct session *session, const struct strlist *words,
                         struct subject *subject, struct error *error)
{
    if (words->count == 0)
        return true;
    AUTO_FREE char *code = strlist_join(words, " ");
    subject->rule = rule_find(code);
    if (subject->rule)
        return true;
    subject->errors = manifest_error_find_code(session->manifest, code);
    return subject->errors.count > 0 || find_message(session, code, subject, error);
}

static bool explain_file(const struct session *session, const char *path, struct subject *subject,
                         struct error *error)
{
    struct explainer *explainer = explainer_new(session->manifest);
    bool is_read = explain_read(path, explainer, error);
    if (is_read)
        explainer_end(explainer, &subject->explanation);
    explainer_free(explainer);
    subject->is_text = true;
    return is_read && session_manifest_sound(session, error);
}

/* A file, standard input or words, as they were given. */
static bool take_subject(const struct session *session, const struct arguments *arguments,
                         struct subject *subject, struct error *error)
{
    const struct strlist *words = &arguments->words;
    const char *file = arguments_get(arguments, "file");
    if (file && words->count > 0)
        return usage_error(error, session->program, NULL, NULL,
                           "--file and CODE exclude each other");
    bool is_input = words->count == 1 && string_equal(words->items[0], "-");
    if (file == NULL && (is_input || (words->count == 0 && standard_input_begins(FIRST_BYTE_MS))))
        file = "-";
    return file ? explain_file(session, file, subject, error)
                : find_subject(session, words, subject, error);
}

/* A row whose causes stand in the order in which they are told. */
static struct manifest_error ordered_row(struct manifest *manifest,
                                         const struct manifest_error *row)
{
    struct manifest_error ordered = *row;
    ordered.findings = (struct strlist){0};
    explanation_order(manifest, &row->findings, &ordered.findings);
    return ordered;
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
        struct manifest_error row = ordered_row(manifest, hits->rows[list]);
        explain_error_text(manifest, list, &row, columns, output);
        strlist_free(&row.findings);
    }
}

/* The fields of the first one, and all of them in "explained". */
static void append_json(const struct report_input *input, struct manifest *manifest,
                        const struct subject *subject, struct text *output)
{
    AUTO_JSON json_t *envelope = report_envelope(input);
    if (subject->is_text) {
        explain_page_json(manifest, &subject->explanation, envelope);
        json_append_text(envelope, output);
        return;
    }
    json_t *explained = json_array();
    if (subject->rule)
        json_array_append_new(explained, explain_rule_json(subject->rule));
    for (enum manifest_error_list list = 0; list < ERROR_LISTS; list++) {
        if (subject->errors.rows[list] == NULL)
            continue;
        struct manifest_error row = ordered_row(manifest, subject->errors.rows[list]);
        json_array_append_new(explained, explain_error_json(manifest, list, &row));
        strlist_free(&row.findings);
    }
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
    bool any = subject->rule || subject->is_text || subject->errors.count > 0;
    if (any && json)
        append_json(input, manifest, subject, output);
    else if (subject->is_text)
        explain_page_text(manifest, &subject->explanation, input->columns, output);
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
    AUTO(subject_clear) struct subject subject = {.rule = NULL};
    if (!session_check_format(session, arguments, error) ||
        !session_load_manifest(session, arguments, error) ||
        !take_subject(session, arguments, &subject, error))
        return false;
    AUTO_TEXT struct text text = {0};
    struct report_input input;
    session_input(session, arguments, &input);
    append(&input, session->manifest, &subject, json, &text);
    *ret_exit_code = subject.is_text && subject.explanation.count == 0 ? EXIT_FOUND : EXIT_DONE;
    return session_write(arguments, &text, error);
}

const struct command command_explain = {
    .name = "explain",
    .summary = "what a finding, an error, an Xid or a log means, and how to fix it",
    .usage = "gpuenv explain [OPTION...] [CODE | MESSAGE | -]",
    .details =
        "CODE is the code (DRV-004) or cause (driver_library_mismatch) of a finding, an error "
        "number (802) or its name (CUDA_ERROR_NO_DEVICE, cudaErrorNoDevice), an Xid from the "
        "kernel log (xid 79), or a cuDNN or NCCL status (CUDNN_STATUS_NOT_INITIALIZED, nccl 2). If "
        "a number is in several lists (CUDA, NVML, Xids), all its meanings are shown; put a list's "
        "name before the number to see only one: \"nvml 18\", \"cuda 802\". MESSAGE is what a "
        "program printed. Paste it as it is: wrapped lines and the prefixes of logs do not matter. "
        "gpuenv finds every known message in it, puts causes before their consequences, and uses "
        "the rest of the text to choose between causes. \"-\", a pipe or --file FILE reads a text "
        "of any size. If there are many causes, the first three are shown in full; --json has all "
        "of them. Without CODE and without a pipe, all findings are listed. Exit status: 0 if "
        "something was recognised, 1 if nothing in a message was, 64 for a word that is not a "
        "code, 66 if FILE cannot be read.",
    .examples = "gpuenv explain DRV-004\n"
                "gpuenv explain 802\n"
                "gpuenv explain Xid 79\n"
                "gpuenv explain \"no kernel image is available\"\n"
                "sudo dmesg | gpuenv explain\n"
                "gpuenv explain --file nvidia-bug-report.log.gz",
    .options = options,
    .run = run,
};
