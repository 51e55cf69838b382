/* SPDX-License-Identifier: MIT */
#include "base/path.h"
#include "cli/doctor/judging.h"
#include "cli/engine/command.h"
#include "cli/engine/lookup.h"
#include "cli/machine/gather.h"
#include "facts/redact.h"
#include "report/formats.h"
#include "report/share/html.h"
#include "report/share/markdown.h"
#include "report/share/share.h"
#include "rules/engine/finding.h"

static const struct option option_html = {.name = "html",
                                          .help = "one HTML file with a drawing of the GPUs; same "
                                                  "as --format html",
                                          .sets = "format",
                                          .sets_to = "html"};
static const struct option option_format_here = {
    .name = "format", .argument = "FORMAT", .help = "output format: markdown, html or json"};
static const struct option option_no_redact = {
    .name = "no-redact",
    .help = "keep names, addresses, serial numbers, UUIDs and secrets in the report"};

static const struct option *const options[] = {
    &option_root,       &option_facts,    &option_manifest, &option_assume_driver,
    &option_assume_gpu, &option_for,      &option_python,   &option_deep,
    &option_try,        &option_html,     &option_json,     &option_format_here,
    &option_no_redact,  &option_output,   &option_timeout,  &option_quiet,
    &option_verbose,    &option_no_color, &option_help,     NULL,
};

static void report_share_json(const struct report_input *input, struct text *output)
{
    AUTO_JSON json_t *document = share_json(input);
    json_append_text(document, output);
}

static const struct report_format formats[] = {
    {.name = "markdown", .help = "for an issue or a forum", .doctor = report_markdown},
    {.name = "html", .help = "for a browser", .doctor = report_html},
    {.name = "json", .help = "for programs", .doctor = report_share_json},
};

static const struct report_format *
choose_format(const struct session *session, const struct arguments *arguments, struct error *error)
{
    const char *name = arguments_get(arguments, "format");
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (name == NULL || string_equal(formats[i].name, name))
            return &formats[i];
    usage_error(error, session->program, NULL, NULL,
                "%s: unknown format \"%s\"; the formats are: markdown, html, json",
                arguments_origin(arguments, "format"), name);
    return NULL;
}

/* The names of this host and of whoever runs gpuenv here: they may stand anywhere in the record. */
static void know_names(const struct host *live, struct redaction *redaction)
{
    static const char *const users[] = {"USER", "LOGNAME", "SUDO_USER"};
    struct host_kernel kernel;
    const char *home = host_environment(live, "HOME");
    if (host_kernel(live, &kernel))
        redaction_know(redaction, REDACTED_HOST, kernel.node);
    redaction_know(redaction, REDACTED_HOST, host_environment(live, "HOSTNAME"));
    for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++)
        redaction_know(redaction, REDACTED_USER, host_environment(live, users[i]));
    if (home)
        redaction_know(redaction, REDACTED_USER, path_base(home));
}

/* What is judged and printed: the record, or what is left of it for others to see. */
static struct facts *take_facts(const struct session *session, const struct arguments *arguments,
                                struct redaction *redaction, struct error *error)
{
    AUTO_FACTS struct facts *facts = gather_assumed(session, arguments, error);
    if (facts == NULL || redaction == NULL)
        return mem_steal(&facts);
    know_names(session->live, redaction);
    return redaction_facts(redaction, facts);
}

static bool write_report(const struct session *session, const struct arguments *arguments,
                         const struct report_format *format, struct redaction *redaction,
                         const struct facts *facts, const struct judgement *judgement,
                         struct error *error)
{
    AUTO_LOOKUP struct lookup lookup = lookup_facts(facts, session->manifest);
    AUTO_TEXT struct text text = {0};
    struct report_input input;
    session_input(session, arguments, &input);
    AUTO_FREE char *root = redaction ? redaction_text(redaction, input.root) : NULL;
    AUTO_FREE char *record = redaction ? redaction_text(redaction, input.record) : NULL;
    AUTO_FREE char *manifest = redaction ? redaction_text(redaction, input.manifest_path) : NULL;
    if (redaction) {
        input.root = root;
        input.record = record;
        input.manifest_path = manifest;
    }
    input.facts = facts;
    input.judgement = judgement;
    input.redaction = redaction;
    input.driver_cuda = lookup.driver_cuda;
    input.gpu_names = &lookup.gpu_names;
    format->doctor(&input, &text);
    return session_write(arguments, &text, error);
}

static double no_clock(void)
{
    return 0;
}

static void judgement_free_at(struct judgement **judgement)
{
    judgement_free(*judgement);
}

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    AUTO_JUDGING struct judging judging = {.choices = {.count = 0}};
    AUTO_REDACTION struct redaction *redaction =
        arguments_have(arguments, "no-redact") ? NULL : redaction_new();
    AUTO(judgement_free_at) struct judgement *judgement = NULL;
    struct judge_options how = {.now_ms = no_clock};
    const struct report_format *format = choose_format(session, arguments, error);
    if (format == NULL || !session_no_words(session, arguments, error) ||
        !judging_purpose(session, arguments, &how, error) ||
        !session_load_manifest(session, arguments, error))
        return false;
    AUTO_FACTS struct facts *facts = take_facts(session, arguments, redaction, error);
    if (facts == NULL)
        return false;
    how.tree = gather_is_tree(facts, arguments);
    if (!judging_judge(&judging, session, facts, &how, &judgement, error))
        return false;
    *ret_exit_code = EXIT_DONE;
    return write_report(session, arguments, format, redaction, facts, judgement, error);
}

const struct command command_report = {
    .name = "report",
    .summary = "print a report that can be published: findings and facts",
    .usage = "gpuenv report [OPTION...]",
    .details =
        "Judges the machine as \"gpuenv doctor\" does, and prints findings and facts as one "
        "page of Markdown for an issue or a forum, as one HTML file, or as JSON. User and "
        "host names, addresses, serial numbers, UUIDs, container and cloud ids and secrets "
        "are replaced by stand-ins; the same name or address always gets the same stand-in. Read "
        "the page before you publish it. \"gpuenv doctor --from FILE\" judges a report on any "
        "machine. Exits with 0, whatever was found.",
    .examples = "gpuenv report -o report.md\n"
                "gpuenv report --html -o report.html\n"
                "gpuenv report --json -o report.json",
    .options = options,
    .run = run,
};
