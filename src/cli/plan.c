/* SPDX-License-Identifier: MIT */
#include "cli/installer.h"
#include "host/local.h"

static const struct option *const options[] = {
    &option_prefix,        &option_profile,
    &option_component,     &option_platform,
    &option_mirror,        &option_archive,
    &option_offline,       &option_allow_unpinned,
    &option_no_cache,      &option_install_framework,
    &option_assume_driver, &option_assume_gpu,
    &option_manifest,      &option_progress,
    &option_stall,         &option_format,
    &option_json,          &option_output,
    &option_quiet,         &option_verbose,
    &option_help,          NULL,
};

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    AUTO_RESOLUTION struct resolution resolution = {.chosen = NULL};
    *ret_exit_code = EXIT_DONE;
    if (!installer_resolve(session, arguments, &resolution, error))
        return false;
    AUTO_FREE char *prefix = installer_prefix(session, arguments, &resolution, error);
    if (prefix == NULL)
        return false;
    return installer_run(session, arguments, "plan", &resolution, prefix, error);
}

const struct command command_plan = {
    .name = "plan",
    .summary = "what install would do: files, bytes, digests, disk need, licences",
    .usage = "gpuenv plan [OPTION...] SPEC...",
    .details = "Resolves the SPECs as install does, fetches the lists of archives, which are small "
               "and proved, and prints what would be installed and what it would take. Nothing is "
               "written but the cache.",
    .options = options,
    .run = run,
};
