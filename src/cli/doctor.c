/* SPDX-License-Identifier: MIT */
#include <time.h>

#include "cli/assume.h"
#include "cli/checks.h"
#include "cli/command.h"
#include "cli/gather.h"
#include "cli/lookup.h"
#include "rules/requirement.h"

static const struct option option_for = {
    .name = "for",
    .argument = "PROFILE",
    .help = "judge for run, build or container; without it the machine decides"};
static const struct option option_strict = {.name = "strict",
                                            .help = "exit with 1 for warnings too"};
static const struct option option_ignore = {.name = "ignore",
                                            .argument = "CODE,...",
                                            .repeatable = true,
                                            .help = "leave these checks out, by code or cause"};
static const struct option option_only = {.name = "only",
                                          .argument = "CODE,...",
                                          .repeatable = true,
                                          .help = "run these checks alone, by code or cause"};
static const struct option option_require = {
    .name = "require",
    .argument = "TERM,...",
    .repeatable = true,
    .help = "fail unless all of these hold, such as driver>=550,gpus>=8; words: driver, cuda "
            "(that the driver supports), toolkit, cudnn, nccl, gpus, cc, memory (GiB)"};
static const struct option option_list = {.name = "list-checks",
                                          .help = "print the checks there are, and judge nothing"};

static const struct option *const options[] = {
    &option_root,       &option_facts,  &option_manifest, &option_assume_driver,
    &option_assume_gpu, &option_for,    &option_require,  &option_only,
    &option_ignore,     &option_strict, &option_list,     &option_python,
    &option_deep,       &option_format, &option_json,     &option_output,
    &option_timeout,    &option_quiet,  &option_verbose,  &option_no_color,
    &option_help,       NULL,
};

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1000 + (double)now.tv_nsec / 1e6;
}

static const struct report_format *
choose_format(const struct session *session, const struct arguments *arguments, struct error *error)
{
    const char *name = session_format(arguments);
    const struct report_format *format = report_format_find(name);
    if (format)
        return format;
    AUTO_STRLIST struct strlist names = {0};
    for (format = report_formats; format->name; format++)
        strlist_add(&names, format->name);
    AUTO_FREE char *list = strlist_join(&names, ", ");
    usage_error(error, session->program, name, &names, "%s: no format \"%s\", there are: %s",
                arguments_origin(arguments, "format"), name, list);
    return NULL;
}

static bool choose_profile(const struct session *session, const struct arguments *arguments,
                           struct judge_options *judging, struct error *error)
{
    const char *name = arguments_get(arguments, "for");
    if (name == NULL)
        return true;
    judging->profile_given = true;
    if (profile_from_name(name, &judging->profile))
        return true;
    return usage_error(error, session->program, NULL, NULL,
                       "%s: no profile \"%s\", there are: run, build, container",
                       arguments_origin(arguments, "for"), name);
}

/* --only and the words. */
static bool choose_checks(const struct session *session, const struct arguments *arguments,
                          struct strlist *only, struct error *error)
{
    const struct strlist *named = arguments_all(arguments, "only");
    if (!checks_known(session, named, arguments_origin(arguments, "only"), error) ||
        !checks_known(session, arguments_all(arguments, "ignore"),
                      arguments_origin(arguments, "ignore"), error) ||
        !checks_known(session, &arguments->words, "CHECK", error))
        return false;
    if (named)
        strlist_copy(only, named);
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
        checks_append_list(&text);
    return session_write(arguments, &text, error);
}

static bool write_report(const struct session *session, const struct arguments *arguments,
                         const struct report_format *format, const struct facts *facts,
                         const struct judgement *judgement, struct error *error)
{
    AUTO_LOOKUP struct lookup lookup = lookup_facts(facts, session->manifest);
    AUTO_TEXT struct text text = {0};
    struct report_input input;
    session_input(session, arguments, &input);
    input.facts = facts;
    input.judgement = judgement;
    input.driver_cuda = lookup.driver_cuda;
    input.gpu_names = &lookup.gpu_names;
    format->doctor(&input, &text);
    return session_write(arguments, &text, error);
}

/* The facts, with what is assumed. Words are judged before the machine is looked at. */
static struct facts *gather(const struct session *session, const struct arguments *arguments,
                            struct error *error)
{
    struct facts *assumed = assume_facts(session, arguments, error);
    if (assumed == NULL)
        return NULL;
    struct facts *facts = gather_facts(session, arguments, error);
    if (facts)
        facts = assume_apply(facts, assumed);
    facts_free(assumed);
    return facts;
}

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    AUTO_STRLIST struct strlist only = {0};
    AUTO_REQUIREMENTS struct requirements requirements = {0};
    struct judge_options judging = {
        .requirements = &requirements,
        .strict = arguments_have(arguments, "strict"),
        .only = &only,
        .ignore = arguments_all(arguments, "ignore"),
        .now_ms = now_ms,
    };
    const struct report_format *format = choose_format(session, arguments, error);
    if (format == NULL || !choose_profile(session, arguments, &judging, error) ||
        !choose_checks(session, arguments, &only, error) ||
        !choose_requirements(session, arguments, &requirements, error) ||
        !session_load_manifest(session, arguments, error))
        return false;
    *ret_exit_code = EXIT_DONE;
    if (arguments_have(arguments, "list-checks"))
        return list_checks(session, arguments, format, error);
    struct facts *facts = gather(session, arguments, error);
    if (facts == NULL)
        return false;
    judging.tree = gather_is_tree(facts, arguments);
    struct judgement *judgement = rules_judge(facts, session->manifest, &judging);
    bool written = session_manifest_sound(session, error) &&
                   write_report(session, arguments, format, facts, judgement, error);
    *ret_exit_code = judgement->exit_code;
    judgement_free(judgement);
    facts_free(facts);
    return written;
}

const struct command command_doctor = {
    .name = "doctor",
    .summary = "judge this machine, an image tree or a record",
    .usage = "gpuenv doctor [OPTION...] [CHECK...]",
    .details = "Looks at the driver, GPUs, CUDA, cuDNN and what belongs to them, and says what is "
               "wrong, why, and what mends it. With CHECKs, codes or causes, only those are run. "
               "Exits with 0 when nothing failed, 1 when something did, 3 when nothing failed but "
               "something could not be told.",
    .options = options,
    .run = run,
};
