/* SPDX-License-Identifier: MIT */
#include "cli/installer/installer.h"

static const struct option *const options[] = {
    &option_prefix_of, &option_image, &option_manifest, &option_format, &option_json,
    &option_output,    &option_quiet, &option_verbose,  &option_help,   NULL,
};

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    *ret_exit_code = EXIT_DONE;
    return session_load_manifest(session, arguments, error) &&
           installer_run_on(session, arguments, "verify", error);
}

const struct command command_verify = {
    .name = "verify",
    .summary = "check that an installation is unchanged",
    .usage = "gpuenv verify [OPTION...] SPEC|--prefix DIR",
    .details = "Compares the type, mode, size and SHA-256 of every file with the ledger, the list "
               "that install left in the prefix, and names what was changed, is missing or was "
               "added. Exits with 1 when something was changed or is missing. SPEC names install's "
               "default prefix: cuda@12.8, cudnn@9.8.",
    .examples = "gpuenv verify cuda@12.8",
    .options = options,
    .run = run,
};
