/* SPDX-License-Identifier: MIT */

#include "cli/doctor/fixes.h"
#include "cli/doctor/formats.h"
#include "cli/doctor/judging.h"
#include "cli/doctor/sent.h"
#include "cli/engine/checks.h"
#include "cli/engine/command.h"
#include "cli/engine/lookup.h"
#include "cli/machine/gather.h"
#include "host/root/clock.h"
#include "report/fix/fix.h"
#include "rules/engine/finding.h"
#include "rules/requirement/requirement.h"
#include "rules/rules.h"

static const struct option option_strict = {.name = "strict",
                                            .help = "exit with 1 for warnings too"};
static const struct option option_ignore = {.name = "ignore",
                                            .argument = "CODE,...",
                                            .repeatable = true,
                                            .help = "skip these checks, by code or cause"};
static const struct option option_only = {.name = "only",
                                          .argument = "CODE,...",
                                          .repeatable = true,
                                          .help = "run only these checks, by code or cause"};
static const struct option option_require = {
    .name = "require",
    .argument = "TERM,...",
    .repeatable = true,
    .help = "fail unless the machine meets all these requirements, such as driver>=550,gpus>=8; "
            "names: driver, cuda (the version that the driver supports), toolkit, cudnn, nccl, "
            "gpus, cc, memory (GiB)"};
static const struct option option_for_framework = {
    .name = "for-framework",
    .argument = "NAME[@V]",
    .repeatable = true,
    .help = "fail unless some build of this framework, installed or not, runs with this machine's "
            "driver, GPUs, Python and libraries, for example pytorch or tensorflow@2.17"};
static const struct option option_layout = {
    .name = "format",
    .argument = "FORMAT",
    .help = "output format: text, json, markdown, nagios, prometheus, nfd, npd, junit or github"};
static const struct option option_list = {.name = "list-checks",
                                          .help = "list the checks and exit"};

static const struct option *const options[] = {
    &option_from,          &option_root,       &option_facts,  &option_manifest,
    &option_assume_driver, &option_assume_gpu, &option_for,    &option_require,
    &option_for_framework, &option_only,       &option_ignore, &option_strict,
    &option_fix,           &option_yes,        &option_list,   &option_python,
    &option_deep,          &option_try,        &option_layout, &option_json,
    &option_output,        &option_timeout,    &option_quiet,  &option_verbose,
    &option_no_color,      &option_help,       NULL,
};

static const struct option *const what[] = {&option_for,
                                            &option_require,
                                            &option_for_framework,
                                            &option_only,
                                            &option_ignore,
                                            &option_strict,
                                            &option_python,
                                            &option_deep,
                                            &option_try,
                                            &option_list,
                                            NULL};
static const struct option *const where[] = {
    &option_from,       &option_root,     &option_facts, &option_assume_driver,
    &option_assume_gpu, &option_manifest, NULL};
static const struct option *const fixing[] = {&option_fix, &option_yes, NULL};
static const struct option *const output[] = {&option_layout,   &option_json,  &option_output,
                                              &option_timeout,  &option_quiet, &option_verbose,
                                              &option_no_color, &option_help,  NULL};
static const struct option_group groups[] = {
    {"what to check", what},
    {"which machine", where},
    {"fixes", fixing},
    {"output", output},
    {NULL, NULL},
};

/* What was hidden behind a cause that is fixed is fixed next: the nodes of a module that was not
 * loaded. */
#define ROUNDS_MAX 4

/* What is known and said of the machine, and what was done to it before. */
struct judged {
    struct facts *facts;
    struct judgement *judgement;
    struct fixes_ran ran;
    struct judgement *before[ROUNDS_MAX]; /* the judgements that fixes were run after */
    size_t before_count;
    struct judging judging;
    struct strlist sent;   /* --from: what was read; empty: this machine, or another record */
    struct strlist causes; /* of the messages in it, likeliest first */
};
#define AUTO_JUDGED AUTO(judged_free)

static void judged_free(struct judged *judged)
{
    facts_free(judged->facts);
    judgement_free(judged->judgement);
    for (size_t i = 0; i < judged->before_count; i++)
        judgement_free(judged->before[i]);
    fixes_ran_free(&judged->ran);
    judging_free(&judged->judging);
    strlist_free(&judged->sent);
    strlist_free(&judged->causes);
}

static double now_ms(void)
{
    return (double)clock_ns() / 1e6;
}

/* --only and the words, which are files beside --from. */
static bool choose_checks(const struct session *session, const struct arguments *arguments,
                          struct strlist *only, struct error *error)
{
    bool sent = arguments_have(arguments, "from");
    const struct strlist *named = arguments_all(arguments, "only");
    if (!checks_known(session, named, arguments_origin(arguments, "only"), error) ||
        !checks_known(session, arguments_all(arguments, "ignore"),
                      arguments_origin(arguments, "ignore"), error) ||
        (!sent && !checks_known(session, &arguments->words, "CHECK", error)))
        return false;
    if (named)
        strlist_copy(only, named);
    if (!sent)
        strlist_copy(only, &arguments->words);
    return true;
}

/* --require, whose parts between commas are terms. */
static bool choose_requirements(const struct session *session, const struct arguments *arguments,
                                struct requirements *requirements, struct error *error)
{
    const struct strlist *terms = arguments_all(arguments, "require");
    for (size_t i = 0; terms && i < terms->count; i++) {
        if (requirements_add(requirements, terms->items[i], error))
            continue;
        error_prefix(error, "%s", arguments_origin(arguments, "require"));
        return error_next(error, "quote the terms: --require 'driver>=550,gpus>=8'; try %s --help",
                          session->program);
    }
    return true;
}

static bool list_checks(const struct session *session, const struct arguments *arguments,
                        const struct report_format *format, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    struct report_input input;
    session_input(session, arguments, &input);
    if (string_equal(format->name, "json"))
        checks_append_json(&input, &text);
    else
        checks_append_list(input.columns, &text);
    return session_write(arguments, &text, error);
}

/* After what was run comes the script of what was not, where there is anything. */
static void append_report(const struct report_input *input, const struct report_format *format,
                          const struct arguments *arguments, struct text *text)
{
    bool yes = arguments_have(arguments, "yes");
    if (arguments_have(arguments, "fix") && !yes) {
        report_fix(input, text);
        return;
    }
    format->doctor(input, text);
    if (!yes || !string_equal(format->name, "text") || !report_fix_any(input))
        return;
    struct report_input rest = *input;
    rest.quiet = true;
    text_append(text, "\nThe fixes that were not run, as gpuenv doctor --fix prints them:\n\n");
    report_fix(&rest, text);
}

static bool write_report(const struct session *session, const struct arguments *arguments,
                         const struct report_format *format, const struct judged *judged,
                         struct error *error)
{
    AUTO_LOOKUP struct lookup lookup = lookup_facts(judged->facts, session->manifest);
    AUTO_TEXT struct text text = {0};
    struct report_input input;
    session_input(session, arguments, &input);
    input.facts = judged->facts;
    input.judgement = judged->judgement;
    input.driver_cuda = lookup.driver_cuda;
    input.gpu_names = &lookup.gpu_names;
    input.ran = judged->ran.items;
    input.ran_count = judged->ran.count;
    input.before = judged->before;
    input.before_count = judged->before_count;
    input.sent = judged->sent.count > 0 ? &judged->sent : NULL;
    AUTO_FREE char *ask = input.sent ? sent_ask(judged->judgement, input.sent) : NULL;
    input.ask = ask;
    AUTO_STRLIST struct strlist possible = {0};
    sent_possible(judged->judgement, &judged->causes, &possible);
    input.possible = &possible;
    append_report(&input, format, arguments, &text);
    if (session_write(arguments, &text, error))
        return true;
    if (judged->ran.count == 0)
        return false;
    if (error->what == NULL) /* the reader of a pipe has gone */
        error_set(error, ERROR_CANNOT_WRITE, "the program that reads the output has ended");
    return error_prefix(error, "the fixes above were run; only the report could not be written");
}

static bool judge(const struct session *session, const struct arguments *arguments,
                  struct judge_options *judging, struct judged *judged, struct error *error)
{
    bool sent = arguments_have(arguments, "from");
    judged->facts = sent ? sent_facts(session, arguments, &judged->sent, &judged->causes, error)
                         : gather_assumed(session, arguments, error);
    if (judged->facts == NULL)
        return false;
    judging->tree = !sent && gather_is_tree(judged->facts, arguments);
    if (!judging_judge(&judged->judging, session, judged->facts, judging, &judged->judgement,
                       error))
        return false;
    if (sent)
        sent_settle(judged->judgement);
    return true;
}

static bool judge_and_fix(const struct session *session, const struct arguments *arguments,
                          struct judge_options *judging, struct judged *judged, struct error *error)
{
    if (!judge(session, arguments, judging, judged, error))
        return false;
    if (!arguments_have(arguments, "yes"))
        return true;
    if (!session_can_write(arguments, error))
        return false;
    while (judged->before_count < ROUNDS_MAX) {
        size_t count;
        if (!fixes_run(session, judged->judgement, &judged->ran, &count, error))
            return false;
        if (count == 0)
            break;
        facts_free(judged->facts);
        judged->before[judged->before_count++] = mem_steal(&judged->judgement);
        if (!judge(session, arguments, judging, judged, error))
            return false;
    }
    return true;
}

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    AUTO_STRLIST struct strlist only = {0};
    AUTO_REQUIREMENTS struct requirements requirements = {0};
    AUTO_JUDGED struct judged judged = {0};
    struct judge_options judging = {
        .requirements = &requirements,
        .strict = arguments_have(arguments, "strict"),
        .only = &only,
        .ignore = arguments_all(arguments, "ignore"),
        .now_ms = now_ms,
    };
    const struct report_format *format = format_choose(session, arguments, error);
    if (format == NULL || !fixes_check(session, arguments, error) ||
        !sent_check(session, arguments, error) ||
        !judging_purpose(session, arguments, &judging, error) ||
        !choose_checks(session, arguments, &only, error) ||
        !choose_requirements(session, arguments, &requirements, error) ||
        !session_load_manifest(session, arguments, error) ||
        !frameworks_take(session, arguments, &judged.judging.frameworks, error))
        return false;
    *ret_exit_code = EXIT_DONE;
    if (arguments_have(arguments, "list-checks"))
        return list_checks(session, arguments, format, error);
    if (!judge_and_fix(session, arguments, &judging, &judged, error))
        return false;
    *ret_exit_code = format_exit_code(format, judged.judgement);
    return write_report(session, arguments, format, &judged, error);
}

/* A monitoring system wants to be told, too, that nothing was judged. */
static bool run_for_format(struct session *session, const struct arguments *arguments,
                           int *ret_exit_code, struct error *error)
{
    return run(session, arguments, ret_exit_code, error) ||
           format_failed(session, arguments, ret_exit_code, error);
}

const struct command command_doctor = {
    .name = "doctor",
    .summary = "check this machine, an image tree, a record, or what somebody sent",
    .usage = "gpuenv doctor [OPTION...] [CHECK...]",
    .details = "Looks at the driver, GPUs, CUDA, cuDNN and related software, and says what is "
               "wrong, why, and how to fix it. If CHECKs (codes or causes) are given, only these "
               "checks are run. Exits with 0 when no check failed, 1 when a check failed, 3 when "
               "no check failed but some checks could not be decided.",
    .examples = "gpuenv doctor\n"
                "sudo gpuenv doctor --fix --yes\n"
                "gpuenv doctor --try\n"
                "gpuenv doctor --for container --require 'driver>=550,gpus>=8' --json\n"
                "gpuenv doctor --for run --format nagios\n"
                "gpuenv doctor --for-framework pytorch@2.5\n"
                "gpuenv doctor --from nvidia-bug-report.log.gz",
    .options = options,
    .groups = groups,
    .run = run_for_format,
};
