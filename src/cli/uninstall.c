/* SPDX-License-Identifier: MIT */
#include "cli/installer.h"
#include "host/local.h"

static const struct option *const options[] = {
    &option_prefix, &option_force, &option_lock_timeout, &option_format, &option_json,
    &option_output, &option_quiet, &option_verbose,      &option_help,   NULL,
};

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    *ret_exit_code = EXIT_DONE;
    AUTO_FREE char *prefix = installer_prefix_named(session, arguments, error);
    return prefix && installer_run(session, arguments, "uninstall", NULL, prefix, error);
}

const struct command command_uninstall = {
    .name = "uninstall",
    .summary = "remove an installation",
    .usage = "gpuenv uninstall [OPTION...] SPEC|--prefix DIR",
    .details = "Removes what gpuenv put into the prefix. Files that were changed by hand, and "
               "files of others, stay, and are named.",
    .options = options,
    .run = run,
};
