/* SPDX-License-Identifier: MIT */
#include "cli/installer/installer.h"
#include "resolve/engine/resolution.h"

const struct option *const installer_options[] = {
    &option_prefix,
    &option_profile,
    &option_component,
    &option_platform,
    &option_mirror,
    &option_archive,
    &option_index,
    &option_offline,
    &option_dry_run,
    &option_lock,
    &option_locked,
    &option_accept_eula,
    &option_allow_unpinned,
    &option_use,
    &option_ldconfig,
    &option_install_force,
    &option_image,
    &option_no_cache,
    &option_jobs,
    &option_lock_timeout,
    &option_install_framework,
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

static const struct option *const common[] = {&option_accept_eula,
                                              &option_prefix,
                                              &option_profile,
                                              &option_use,
                                              &option_image,
                                              &option_dry_run,
                                              NULL};
static const struct option *const what[] = {&option_component,  &option_install_framework,
                                            &option_platform,   &option_assume_driver,
                                            &option_assume_gpu, NULL};
static const struct option *const where[] = {
    &option_mirror,   &option_archive,       &option_index, &option_offline,
    &option_ldconfig, &option_install_force, NULL};
static const struct option *const trust[] = {
    &option_lock, &option_locked, &option_allow_unpinned, &option_cacert, &option_manifest, NULL};
static const struct option *const speed[] = {&option_jobs, &option_no_cache, &option_stall,
                                             &option_lock_timeout, NULL};
static const struct option *const output[] = {
    &option_progress, &option_format,  &option_json, &option_output,
    &option_quiet,    &option_verbose, &option_help, NULL};
static const struct option_group groups[] = {
    {"most used", common},
    {"what is installed", what},
    {"source and destination", where},
    {"what is trusted", trust},
    {"speed and waiting", speed},
    {"output", output},
    {NULL, NULL},
};

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    AUTO_RESOLUTION struct resolution resolution = {.chosen = NULL};
    *ret_exit_code = EXIT_DONE;
    if (!installer_resolve(session, arguments, &resolution, error))
        return false;
    AUTO_FREE char *prefix = installer_prefix(session, arguments, &resolution, error);
    AUTO_FREE char *link = NULL;
    if (prefix == NULL || !installer_link(session, arguments, &link, error))
        return false;
    const struct installer_request request = {
        .action = arguments_have(arguments, "dry-run") ? "plan" : "install",
        .prefix = prefix,
        .link = link,
        .resolution = &resolution};
    return installer_run(session, arguments, &request, error);
}

const struct command command_install = {
    .name = "install",
    .summary = "fetch, verify and unpack CUDA and cuDNN",
    .usage = "gpuenv install [OPTION...] SPEC...",
    .details =
        "Installs CUDA, cuDNN and similar products from NVIDIA's archives into their own "
        "directory, the prefix. A SPEC is cuda@12.8.1, cuda@12.8 (the newest 12.8), cuda@auto or "
        "cuda (the newest that the driver and every GPU here can run), cudnn (a version that "
        "matches the CUDA), cudnn@9. Every byte is verified before it is unpacked, and the prefix "
        "is created completely or not at all. In an existing prefix, missing components are added, "
        "and a different version of a product replaces the installed version. gpuenv install asks "
        "no questions: --accept-eula accepts NVIDIA's licences. Running the same command again "
        "changes nothing. Drivers are never touched.",
    .examples = "sudo gpuenv install cuda@12.8 cudnn --accept-eula\n"
                "gpuenv install cuda --prefix ~/cuda --profile runtime --accept-eula\n"
                "gpuenv install --for-framework tensorflow@2.17 --accept-eula",
    .options = installer_options,
    .groups = groups,
    .run = run,
};
