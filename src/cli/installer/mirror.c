/* SPDX-License-Identifier: MIT */
#include "cli/installer/installer.h"
#include "host/local/local.h"
#include "resolve/engine/resolution.h"

static const struct option option_mirror_force = {
    .name = "force", .help = "overwrite files that have the same name as a new file"};
static const struct option option_mirror_dry_run = {
    .name = "dry-run", .help = "show what would be downloaded, and write only the lock file"};

static const struct option *const options[] = {
    &option_platforms,
    &option_profile,
    &option_component,
    &option_install_framework,
    &option_mirror,
    &option_archive,
    &option_index,
    &option_offline,
    &option_mirror_dry_run,
    &option_lock,
    &option_locked,
    &option_accept_eula,
    &option_allow_unpinned,
    &option_no_cache,
    &option_mirror_force,
    &option_lock_timeout,
    &option_assume_driver,
    &option_assume_gpu,
    &option_manifest,
    &option_progress,
    &option_stall,
    &option_cacert,
    &option_format,
    &option_json,
    &option_output,
    &option_quiet,
    &option_verbose,
    &option_help,
    NULL,
};

static const struct option *const what[] = {&option_platforms,
                                            &option_profile,
                                            &option_component,
                                            &option_install_framework,
                                            &option_assume_driver,
                                            &option_assume_gpu,
                                            NULL};
static const struct option *const where[] = {
    &option_mirror,       &option_archive,        &option_index, &option_offline,
    &option_mirror_force, &option_mirror_dry_run, NULL};
static const struct option *const trust[] = {
    &option_accept_eula, &option_lock, &option_locked, &option_allow_unpinned, &option_cacert,
    &option_manifest,    NULL};
static const struct option *const speed[] = {&option_no_cache, &option_stall, &option_lock_timeout,
                                             NULL};
static const struct option *const output[] = {
    &option_progress, &option_format,  &option_json, &option_output,
    &option_quiet,    &option_verbose, &option_help, NULL};
static const struct option_group groups[] = {
    {"what is mirrored", what}, {"where it comes from", where},
    {"what is trusted", trust}, {"speed and waiting", speed},
    {"output", output},         {NULL, NULL},
};

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    AUTO_RESOLUTION struct resolution resolution = {.chosen = NULL};
    struct arguments rest = *arguments;
    *ret_exit_code = EXIT_DONE;
    if (arguments->words.count == 0 || *arguments->words.items[0] == '\0')
        return usage_error(error, session->program, NULL, NULL,
                           "give a directory and SPECs: /srv/nvidia cuda@12.8 cudnn@9");
    rest.words.items++;
    rest.words.count--;
    if (!installer_resolve(session, &rest, &resolution, error))
        return false;
    AUTO_FREE char *directory = local_absolute(arguments->words.items[0]);
    const struct installer_request request = {
        .action = "mirror", .prefix = directory, .resolution = &resolution};
    return installer_run(session, &rest, &request, error);
}

const struct command command_mirror = {
    .name = "mirror",
    .summary = "copy what an install needs, for sites without a network",
    .usage = "gpuenv mirror [OPTION...] DIR SPEC...",
    .details =
        "Creates a directory that can be used instead of NVIDIA's server. The directory gets exact "
        "copies of the lists of archives, each verified by its pin, and every archive that install "
        "would use for these SPECs, this profile and these platforms, each verified. To use the "
        "directory in place, from a copy or from a server, pass --mirror to install. A second run "
        "fetches only missing files. Files that are not on a list are never touched.",
    .examples = "gpuenv mirror /srv/nvidia cuda@12.8 cudnn\n"
                "gpuenv install cuda@12.8 --mirror /srv/nvidia --offline --accept-eula",
    .options = options,
    .groups = groups,
    .run = run,
};
