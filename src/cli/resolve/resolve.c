/* SPDX-License-Identifier: MIT */
#include "resolve/resolve.h"

#include "base/shell.h"
#include "cli/engine/command.h"
#include "cli/engine/specs.h"
#include "cli/machine/gather.h"
#include "cli/machine/machine_of.h"
#include "cli/resolve/resolve_print.h"
#include "resolve/mixed_gpus.h"
#include "resolve/engine/resolution.h"
#include "rules/sudo.h"

static const struct option option_for_framework = {
    .name = "for-framework",
    .argument = "NAME[@V]",
    .help = "choose the CUDA and cuDNN that this framework was built with (its newest build that "
            "runs here): pytorch@2.5"};

static const struct option option_for_python = {
    .name = "python",
    .argument = "X.Y",
    .help = "choose frameworks for this Python version; by default, for the Python of the active "
            "environment"};

static const struct option option_for_platform = {
    .name = "platform",
    .argument = "PLATFORM",
    .help = "choose for this platform: linux-x86_64, linux-aarch64, linux-sbsa (Arm servers)"};

static const struct option *const options[] = {
    &option_assume_driver,
    &option_assume_gpu,
    &option_for_framework,
    &option_for_python,
    &option_for_platform,
    &option_root,
    &option_facts,
    &option_manifest,
    &option_format,
    &option_json,
    &option_output,
    &option_timeout,
    &option_quiet,
    &option_verbose,
    &option_no_color,
    &option_help,
    NULL,
};

/* As the doctor prints its commands. */
static void settle_sudo(const struct facts *facts, const struct resolution *resolution)
{
    for (size_t i = 0; i < resolution->chosen_count && !sudo_is_used(facts); i++) {
        const struct strlist *commands = &resolution->chosen[i].commands;
        for (size_t k = 0; k < commands->count; k++) {
            char *command = shell_without_sudo(commands->items[k]);
            free(commands->items[k]);
            commands->items[k] = command;
        }
    }
}

/* --python; count 0: it is not given. */
static bool read_python(const struct session *session, const struct arguments *arguments,
                        struct version *ret_python, struct error *error)
{
    const char *given = arguments_get(arguments, "python");
    ret_python->count = 0;
    if (given == NULL || (version_parse(given, ret_python) && ret_python->count >= 2))
        return true;
    return usage_error(error, session->program, NULL, NULL,
                       "%s: \"%s\" is not a Python version such as 3.12",
                       arguments_origin(arguments, "python"), given);
}

static bool take_platform(const struct session *session, const struct arguments *arguments,
                          struct machine_of *machine, struct error *error)
{
    static const struct {
        const char *platform, *architecture;
    } rows[] = {
        {"linux-x86_64", "x86_64"},
        {"linux-aarch64", "aarch64"},
        {"linux-sbsa", "aarch64"},
    };
    AUTO_STRLIST struct strlist names = {0};
    const char *given = arguments_get(arguments, "platform");
    for (size_t i = 0; given && i < sizeof(rows) / sizeof(rows[0]); i++) {
        strlist_add(&names, rows[i].platform);
        if (string_equal(rows[i].platform, given)) {
            machine->machine.architecture = rows[i].architecture;
            return true;
        }
    }
    return given == NULL ||
           usage_error(error, session->program, given, &names, "%s: no platform \"%s\"",
                       arguments_origin(arguments, "platform"), given);
}

static bool answer(const struct session *session, const struct arguments *arguments,
                   const struct facts *facts, const struct resolve_specs *specs,
                   const struct resolve_spec *framework, struct error *error)
{
    AUTO_MACHINE struct machine_of machine = machine_of(facts, session->manifest);
    machine_take_python(&machine, facts);
    if (arguments_have(arguments, "python") &&
        !read_python(session, arguments, &machine.machine.python, error))
        return false;
    if (!take_platform(session, arguments, &machine, error))
        return false;
    AUTO_RESOLUTION struct resolution resolution = {.chosen = NULL};
    AUTO_ERROR struct error unsatisfied = {0};
    AUTO_TEXT struct text text = {0};
    struct report_input input;
    session_input(session, arguments, &input);
    bool resolved =
        resolve(session->manifest, &machine.machine, specs, framework, &resolution, &unsatisfied);
    if (!session_manifest_sound(session, error))
        return false;
    settle_sudo(facts, &resolution);
    if (resolved || unsatisfied.kind == ERROR_UNSATISFIABLE) {
        resolve_mixed_gpus(session->manifest, &machine.machine, specs, &resolution);
        if (string_equal(session_format(arguments), "json"))
            resolve_append_json(&input, &machine.machine, &resolution, &text);
        else
            resolve_append_text(&input, &resolution, &text);
        if (!session_write(arguments, &text, error))
            return false;
    }
    if (resolved)
        return true;
    *error = unsatisfied;
    unsatisfied = (struct error){0};
    return false;
}

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    AUTO_SPECS struct resolve_specs specs = {0};
    AUTO_SPECS struct resolve_specs framework = {0};
    struct version python;
    if (!read_python(session, arguments, &python, error) ||
        !session_check_format(session, arguments, error) ||
        !session_load_manifest(session, arguments, error) ||
        !specs_take(session, &arguments->words, &specs, error) ||
        !specs_take_framework(session, arguments, &framework, error))
        return false;
    if (specs.count == 0 && framework.count == 0)
        return usage_error(error, session->program, NULL, NULL,
                           "takes a SPEC: cuda, cuda@12.8, "
                           "cudnn, driver, pytorch@2.5");
    AUTO_FACTS struct facts *facts = gather_machine(session, arguments, error);
    *ret_exit_code = EXIT_DONE;
    return facts && answer(session, arguments, facts, &specs,
                           framework.count ? &framework.items[0] : NULL, error);
}

const struct command command_resolve = {
    .name = "resolve",
    .summary = "which versions fit this machine, and why others do not",
    .usage = "gpuenv resolve [OPTION...] SPEC...",
    .details =
        "Chooses versions of CUDA, cuDNN, drivers and frameworks that run on this machine, or on "
        "an assumed one, and says which rule chose each version, what limits it has, and why newer "
        "versions were rejected. A SPEC is PRODUCT, PRODUCT@VERSION or PRODUCT@auto: cuda, "
        "cuda@12.8, cudnn@9, driver, pytorch@2.5. A partial version means the newest version that "
        "matches it and whose files can be verified. Exits with 78 when nothing fits.",
    .examples = "gpuenv resolve cuda cudnn\n"
                "gpuenv resolve pytorch@2.5 --assume-driver 535.161.07 --assume-gpu A100\n"
                "gpuenv resolve driver",
    .options = options,
    .run = run,
};
