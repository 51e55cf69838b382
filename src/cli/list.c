/* SPDX-License-Identifier: MIT */
#include "cli/installer.h"
#include "host/local.h"

static const struct option *const options[] = {
    &option_prefix, &option_format,  &option_json, &option_output,
    &option_quiet,  &option_verbose, &option_help, NULL,
};

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    *ret_exit_code = EXIT_DONE;
    const char *given = arguments_get(arguments, "prefix");
    AUTO_FREE char *prefix = given ? local_absolute(given) : NULL;
    return session_no_words(session, arguments, error) &&
           installer_run(session, arguments, "list", NULL, prefix, error);
}

const struct command command_list = {
    .name = "list",
    .summary = "the installations that gpuenv made",
    .usage = "gpuenv list [OPTION...]",
    .details = "Lists the prefixes with a ledger of gpuenv: in /usr/local, /opt and the user's own "
               "place, or --prefix.",
    .options = options,
    .run = run,
};
