/* SPDX-License-Identifier: MIT */
#include "cli/installer/installer.h"
#include "cli/machine/installed.h"

static const struct option option_link = {.name = "link",
                                          .argument = "PATH",
                                          .help =
                                              "the link to set, instead of /usr/local/cuda (root) "
                                              "or $XDG_DATA_HOME/gpuenv/cuda (other users)"};

static const struct option *const options[] = {
    &option_prefix_of,
    &option_previous,
    &option_link,
    &option_force_link,
    &option_image,
    &option_lock_timeout,
    &option_mirror,
    &option_archive,
    &option_index,
    &option_offline,
    &option_no_cache,
    &option_jobs,
    &option_progress,
    &option_stall,
    &option_cacert,
    &option_manifest,
    &option_format,
    &option_json,
    &option_output,
    &option_quiet,
    &option_verbose,
    &option_help,
    NULL,
};

/* The installation that the link is to lead to. */
static bool find_prefix(const struct session *session, const struct arguments *arguments,
                        char **ret_prefix, struct error *error)
{
    AUTO_HOST struct host *tree = NULL;
    const struct host *host = NULL;
    if (arguments->words.count == 0 && !arguments_have(arguments, "prefix"))
        return usage_error(error, session->program, NULL, NULL,
                           "give a SPEC such as cuda@12.8, or --prefix DIR");
    return installed_host(session, arguments, &tree, &host, error) &&
           installed_choose(session, host, arguments, &arguments->words, ret_prefix, error);
}

/* A link leads to a CUDA; what else is named, or is named of one prefix, is gone back to. */
static bool is_going_back(const struct arguments *arguments)
{
    if (arguments_have(arguments, "previous"))
        return true;
    for (size_t i = 0; i < arguments->words.count; i++)
        if (arguments_have(arguments, "prefix") ||
            (!string_equal(arguments->words.items[i], "cuda") &&
             !string_starts(arguments->words.items[i], "cuda@")))
            return true;
    return false;
}

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    AUTO_FREE char *prefix = NULL;
    AUTO_FREE char *link = NULL;
    *ret_exit_code = EXIT_DONE;
    if (!session_load_manifest(session, arguments, error))
        return false;
    if (is_going_back(arguments))
        return installer_use_previous(session, arguments, error);
    if (!find_prefix(session, arguments, &prefix, error) ||
        !installer_link(session, arguments, &link, error))
        return false;
    if (link == NULL)
        return usage_error(
            error, session->program, NULL, NULL,
            "no place for the link: neither XDG_DATA_HOME nor HOME is set; give --link PATH");
    const struct installer_request request = {.action = "link", .prefix = prefix, .link = link};
    return installer_run(session, arguments, &request, error);
}

const struct command command_use = {
    .name = "use",
    .summary = "choose the installation in use, or go back to an earlier version",
    .usage = "gpuenv use [OPTION...] SPEC|--prefix DIR|--previous",
    .details =
        "Points the link /usr/local/cuda (users other than root: $XDG_DATA_HOME/gpuenv/cuda) to an "
        "installation that gpuenv made, with one rename, so the link is never missing. If "
        "update-alternatives owns the link, gpuenv registers the installation with "
        "update-alternatives and selects it. A link to something that gpuenv did not install is "
        "replaced only with --force. A directory is never replaced. With a product other than cuda "
        "(cudnn@9.8), with a SPEC and --prefix, or with --previous, gpuenv use restores a version "
        "that was replaced within an installation, from the cache if that version is in the cache.",
    .examples = "sudo gpuenv use cuda@12.8\n"
                "gpuenv use --previous",
    .options = options,
    .run = run,
};
