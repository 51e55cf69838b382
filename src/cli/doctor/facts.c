/* SPDX-License-Identifier: MIT */
#include "facts/facts.h"

#include "cli/engine/command.h"
#include "cli/machine/gather.h"
#include "report/formats.h"

static const struct option *const options[] = {
    &option_root,
    &option_facts,
    &option_manifest,
    &option_assume_driver,
    &option_assume_gpu,
    &option_python,
    &option_deep,
    &option_try,
    &option_format,
    &option_json,
    &option_output,
    &option_timeout,
    &option_quiet,
    &option_verbose,
    &option_no_color,
    &option_help,
    NULL,
};

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    const char *format = session_format(arguments);
    if (!session_no_words(session, arguments, error) ||
        !session_check_format(session, arguments, error) ||
        !session_load_manifest(session, arguments, error))
        return false;
    AUTO_FACTS struct facts *facts = gather_assumed(session, arguments, error);
    if (facts == NULL)
        return false;
    AUTO_TEXT struct text text = {0};
    struct report_input input;
    session_input(session, arguments, &input);
    input.facts = facts;
    if (string_equal(format, "json"))
        report_facts_json(&input, &text);
    else
        report_facts_text(&input, &text);
    *ret_exit_code = EXIT_DONE;
    return session_write(arguments, &text, error);
}

const struct command command_facts = {
    .name = "facts",
    .summary = "print what was found, without judging it",
    .usage = "gpuenv facts [OPTION...]",
    .details = "Prints every fact with its source. \"gpuenv facts --json -o FILE\" writes a record "
               "that \"gpuenv doctor --facts FILE\" can check on any machine. Assumed facts are "
               "marked as such in the record. --quiet leaves out what is absent or was skipped. "
               "--verbose says what each fact means.",
    .examples = "gpuenv facts\n"
                "gpuenv facts --json -o machine.json",
    .options = options,
    .run = run,
};
