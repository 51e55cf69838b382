/* SPDX-License-Identifier: MIT */
#include "cli/installed.h"
#include "cli/installer.h"

static const struct option option_link = {
    .name = "link",
    .argument = "PATH",
    .help = "the link to set, instead of /usr/local/cuda of root and $XDG_DATA_HOME/gpuenv/cuda of "
            "others"};

static const struct option *const options[] = {
    &option_prefix_of,
    &option_link,
    &option_force_link,
    &option_image,
    &option_lock_timeout,
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
    struct host *tree = NULL;
    const struct host *host = NULL;
    if (arguments->words.count == 0 && !arguments_have(arguments, "prefix"))
        return usage_error(error, session->program, NULL, NULL,
                           "takes a SPEC such as cuda@12.8, or --prefix DIR");
    if (!installed_host(session, arguments, &tree, &host, error))
        return false;
    bool ok = installed_choose(session, host, arguments, &arguments->words, ret_prefix, error);
    host_free(tree);
    return ok;
}

/* A product within an installation, which goes back to what it was: cudnn@9.8. */
static bool is_of_product(const struct arguments *arguments)
{
    const char *word = arguments->words.count > 0 ? arguments->words.items[0] : NULL;
    return word && !string_equal(word, "cuda") && !string_starts(word, "cuda@");
}

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    AUTO_FREE char *prefix = NULL;
    AUTO_FREE char *link = NULL;
    *ret_exit_code = EXIT_DONE;
    if (is_of_product(arguments)) /* installer_use_previous() */
        return usage_error(error, session->program, NULL, NULL,
                           "\"%s\": the link leads to an installation of CUDA: cuda@12.8",
                           arguments->words.items[0]);
    if (!session_load_manifest(session, arguments, error) ||
        !find_prefix(session, arguments, &prefix, error) ||
        !installer_link(session, arguments, &link, error))
        return false;
    if (link == NULL)
        return usage_error(error, session->program, NULL, NULL,
                           "neither XDG_DATA_HOME nor HOME says where the link is to be: give "
                           "--link PATH");
    const struct installer_request request = {.action = "link", .prefix = prefix, .link = link};
    return installer_run(session, arguments, &request, error);
}

const struct command command_use = {
    .name = "use",
    .summary = "choose the installation that /usr/local/cuda leads to",
    .usage = "gpuenv use [OPTION...] SPEC|--prefix DIR",
    .details =
        "Lets the link /usr/local/cuda, or for others than root $XDG_DATA_HOME/gpuenv/cuda, lead "
        "to an installation of gpuenv's: by one rename, so that it always leads somewhere. Where "
        "update-alternatives owns the link, the installation is registered and chosen there. A "
        "link to what gpuenv did not install is replaced with --force alone, a directory never.",
    .options = options,
    .run = run,
};
