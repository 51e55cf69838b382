/* SPDX-License-Identifier: MIT */
#include "cli/installer/installer.h"

static const struct option *const options[] = {
    &option_prefix_of, &option_image,   &option_force, &option_lock_timeout,
    &option_manifest,  &option_format,  &option_json,  &option_output,
    &option_quiet,     &option_verbose, &option_help,  NULL,
};

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    *ret_exit_code = EXIT_DONE;
    return session_load_manifest(session, arguments, error) &&
           installer_uninstall(session, arguments, error);
}

const struct command command_uninstall = {
    .name = "uninstall",
    .summary = "remove an installation",
    .usage = "gpuenv uninstall [OPTION...] [SPEC...] [--prefix DIR]",
    .details =
        "Removes what gpuenv put into a prefix. Files that gpuenv did not install are kept and "
        "listed, and so are files that were changed by hand, unless --force is given. --prefix "
        "alone, or a SPEC that names install's default prefix (cuda@12.8, cudnn@9.8), removes the "
        "whole installation. A SPEC with --prefix removes only that product. cudnn without a "
        "version means the cuDNN in the installation that /usr/local/cuda points to.",
    .examples = "sudo gpuenv uninstall cuda@12.8",
    .options = options,
    .run = run,
};
