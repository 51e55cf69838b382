/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/engine/specs.h"
#include "cli/installer/installer_private.h"
#include "cli/installer/list_available.h"
#include "cli/machine/gather.h"
#include "cli/machine/machine_of.h"
#include "resolve/engine/resolution.h"

static const struct option option_available = {
    .name = "available",
    .help = "instead, list what can be installed: for each PRODUCT, or all products, the versions "
            "and the newest for this machine"};

static const struct option *const options[] = {
    &option_prefix_of,     &option_image,      &option_available, &option_platform,
    &option_assume_driver, &option_assume_gpu, &option_facts,     &option_manifest,
    &option_timeout,       &option_format,     &option_json,      &option_output,
    &option_quiet,         &option_verbose,    &option_help,      NULL,
};

/* Small letters, as the manifest has them; each must be a product that it has pins of. */
static bool check_products(const struct session *session, const struct strlist *words,
                           struct error *error)
{
    AUTO_STRLIST struct strlist names = {0};
    size_t count;
    const struct manifest_pin *pins = manifest_pin_all(session->manifest, &count);
    for (size_t i = 0; i < count; i++)
        strlist_add_new(&names, pins[i].product);
    for (size_t i = 0; i < words->count; i++)
        if (!strlist_has(&names, words->items[i]))
            return usage_error(error, session->program, words->items[i], &names,
                               "gpuenv cannot install a product \"%s\"", words->items[i]);
    return true;
}

/* In the words of uname. */
static const char *architecture_of(const char *platform)
{
    return string_equal(platform, "linux-sbsa") ? "aarch64" : platform + strlen("linux-");
}

static bool print_available(const struct session *session, const struct arguments *arguments,
                            const struct facts *facts, const char *platform, struct error *error)
{
    AUTO_AVAILABLE struct available available = {.platform = NULL};
    AUTO_MACHINE struct machine_of machine = machine_of(facts, session->manifest);
    AUTO_TEXT struct text text = {0};
    struct report_input input;
    session_input(session, arguments, &input);
    machine.machine.architecture = architecture_of(platform);
    available_fill(session->manifest, &machine.machine, platform, &arguments->words, &available);
    if (!session_manifest_sound(session, error))
        return false;
    if (string_equal(session_format(arguments), "json"))
        available_append_json(&input, &available, &text);
    else
        available_append_text(&input, &available, arguments->words.count > 0 || input.verbose,
                              &text);
    return session_write(arguments, &text, error);
}

static bool run_available(struct session *session, const struct arguments *arguments,
                          struct error *error)
{
    AUTO_STRLIST struct strlist platforms = {0};
    if (!session_check_format(session, arguments, error) ||
        !session_load_manifest(session, arguments, error) ||
        !check_products(session, &arguments->words, error) ||
        !installer_platforms(session, arguments, &platforms, error))
        return false;
    AUTO_FACTS struct facts *facts = gather_machine(session, arguments, error);
    return facts && print_available(session, arguments, facts, platforms.items[0], error);
}

/* What is installed has a version, or any. */
static bool check_specs(const struct session *session, const struct resolve_specs *specs,
                        struct error *error)
{
    for (size_t i = 0; i < specs->count; i++)
        if (specs->items[i].is_auto || specs->items[i].release)
            return usage_error(
                error, session->program, NULL, NULL,
                "\"%s\" does not name an installation: give a version, as in cuda@12.8",
                specs->items[i].text);
    return true;
}

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    *ret_exit_code = EXIT_DONE;
    if (arguments_have(arguments, "available"))
        return run_available(session, arguments, error);
    const char *given = arguments_get(arguments, "prefix");
    AUTO_FREE char *prefix = given ? installer_read_path(session, arguments, given) : NULL;
    AUTO_SPECS struct resolve_specs specs = {0};
    const struct installer_request request = {.action = "list", .prefix = prefix, .specs = &specs};
    return session_load_manifest(session, arguments, error) &&
           specs_take(session, &arguments->words, &specs, error) &&
           check_specs(session, &specs, error) &&
           installer_run(session, arguments, &request, error);
}

const struct command command_list = {
    .name = "list",
    .summary = "what gpuenv has installed, or can install",
    .usage = "gpuenv list [OPTION...] [SPEC... | --available [PRODUCT...]]",
    .details = "Lists what gpuenv installed in /usr/local, in /opt and in the user's own directory "
               "($XDG_DATA_HOME/gpuenv), or in the directory that --prefix names. With SPECs "
               "(cuda, cudnn@9.8), lists only the installations that contain one of them. With "
               "--available, lists what gpuenv can install: the versions in the manifest, how each "
               "is verified, and the newest that this machine, or an assumed one, can run.",
    .examples = "gpuenv list\n"
                "gpuenv list --available cuda",
    .options = options,
    .run = run,
};
