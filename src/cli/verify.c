/* SPDX-License-Identifier: MIT */
#include "cli/installer.h"
#include "host/local.h"

static const struct option *const options[] = {
    &option_prefix, &option_lock_timeout, &option_format, &option_json, &option_output,
    &option_quiet,  &option_verbose,      &option_help,   NULL,
};

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    *ret_exit_code = EXIT_DONE;
    AUTO_FREE char *prefix = installer_prefix_named(session, arguments, error);
    return prefix && installer_run(session, arguments, "verify", NULL, prefix, error);
}

const struct command command_verify = {
    .name = "verify",
    .summary = "compare an installation with its ledger",
    .usage = "gpuenv verify [OPTION...] SPEC|--prefix DIR",
    .details = "Hashes every file that gpuenv put into the prefix and names what was changed, "
               "removed or added. Exits with 1 when something was changed or is missing.",
    .options = options,
    .run = run,
};
