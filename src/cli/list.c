/* SPDX-License-Identifier: MIT */
#include "cli/installer.h"
#include "host/local.h"

static const struct option *const options[] = {
    &option_prefix_of, &option_image,   &option_format, &option_json, &option_output,
    &option_quiet,     &option_verbose, &option_help,   NULL,
};

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    *ret_exit_code = EXIT_DONE;
    const char *given = arguments_get(arguments, "prefix");
    AUTO_FREE char *prefix = given ? installer_path(arguments, given) : NULL;
    const struct installer_request request = {.action = "list", .prefix = prefix};
    return session_no_words(session, arguments, error) &&
           installer_run(session, arguments, &request, error);
}

const struct command command_list = {
    .name = "list",
    .summary = "the installations that gpuenv made",
    .usage = "gpuenv list [OPTION...]",
    .details = "Lists what gpuenv installed: in /usr/local, in /opt and in the user's own place "
               "($XDG_DATA_HOME/gpuenv), or in the directory that --prefix names.",
    .options = options,
    .run = run,
};
