/* SPDX-License-Identifier: MIT */
#include "cli/installer/installer.h"
#include "resolve/engine/resolution.h"

/* The rest of install's options is taken, so that one word of its command line can be replaced. */
static const struct option *const what[] = {&option_profile,
                                            &option_component,
                                            &option_install_framework,
                                            &option_platform,
                                            &option_assume_driver,
                                            &option_assume_gpu,
                                            NULL};
static const struct option *const where[] = {&option_prefix,  &option_image,         &option_use,
                                             &option_mirror,  &option_archive,       &option_index,
                                             &option_offline, &option_install_force, NULL};
static const struct option *const trust[] = {
    &option_lock, &option_locked, &option_allow_unpinned, &option_cacert, &option_manifest, NULL};
static const struct option *const output[] = {&option_no_cache, &option_stall,  &option_format,
                                              &option_json,     &option_output, &option_quiet,
                                              &option_verbose,  &option_help,   NULL};
static const struct option_group groups[] = {
    {"what would be installed", what},
    {"source and destination", where},
    {"what is trusted", trust},
    {"output and network", output},
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
        .action = "plan", .prefix = prefix, .link = link, .resolution = &resolution};
    return installer_run(session, arguments, &request, error);
}

const struct command command_plan = {
    .name = "plan",
    .summary = "what install would do: files, sizes, digests, disk space, licences",
    .usage = "gpuenv plan [OPTION...] SPEC...",
    .details = "Chooses versions as install does, fetches and verifies NVIDIA's lists of archives "
               "(small files), and prints what would be installed, from where, and how much space "
               "it needs. Only the cache is written.",
    .examples = "gpuenv plan cuda@12.8 cudnn\n"
                "gpuenv plan cuda --profile runtime --json",
    .options = installer_options,
    .groups = groups,
    .run = run,
};
