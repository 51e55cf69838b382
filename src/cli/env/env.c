/* SPDX-License-Identifier: MIT */
#include "cli/env/env.h"

#include "cli/engine/command.h"
#include "cli/engine/output.h"
#include "cli/installer/installer.h"
#include "cli/machine/installed.h"

const struct env_format env_formats[] = {
    {.name = "sh", .append = env_append_sh},
    {.name = "bash", .append = env_append_sh},
    {.name = "zsh", .append = env_append_sh},
    {.name = "fish", .append = env_append_fish},
    {.name = "csh", .append = env_append_csh},
    {.name = "tcsh", .append = env_append_csh},
    {.name = "docker", .append = env_append_docker},
    {.name = "github", .append = env_append_github},
    {.name = "cmake", .append = env_append_cmake},
    {.name = "modulefile", .append = env_append_modulefile},
    {.name = "dotenv", .append = env_append_dotenv},
    {.name = "json", .append = env_append_json},
    {.name = NULL},
};

static const struct option option_env_format = {
    .name = "format",
    .argument = "FORMAT",
    .help = "sh (the default: for sh, bash, dash, zsh), fish, csh (and tcsh), docker (ENV lines), "
            "github (for a "
            "step's sh), cmake (for cmake -C), modulefile (Environment Modules, Lmod), dotenv or "
            "json"};

static const struct option *const options[] = {
    &option_prefix_of, &option_env_format, &option_json, &option_root,
    &option_manifest,  &option_output,     &option_help, NULL,
};

static const struct env_format *find_format(const struct session *session,
                                            const struct arguments *arguments, struct error *error)
{
    const char *name = arguments_get(arguments, "format");
    AUTO_STRLIST struct strlist names = {0};
    for (const struct env_format *format = env_formats; format->name; format++) {
        if (name == NULL || string_equal(format->name, name))
            return format;
        strlist_add(&names, format->name);
    }
    AUTO_FREE char *list = strlist_join(&names, ", ");
    usage_error(error, session->program, name, &names,
                "%s: unknown format \"%s\"; the formats are: %s",
                arguments_origin(arguments, "format"), name, list);
    return NULL;
}

void env_tell(const struct session *session, const struct env *env)
{
    AUTO_TEXT struct text text = {0};
    if (env->note == NULL)
        return;
    text_printf(&text, "%s: ", session->program);
    text_append_safe(&text, env->note);
    text_append_char(&text, '\n');
    output_stderr(&text);
}

static bool append(const struct session *session, const struct arguments *arguments,
                   const struct env_format *format, const struct host *host, struct text *text,
                   struct error *error)
{
    AUTO_FREE char *prefix = NULL;
    AUTO_ENV struct env env = {.prefix = NULL};
    struct report_input report;
    const struct env_input input = {.host = host, .report = &report};
    session_input(session, arguments, &report);
    if (!installed_choose(session, host, arguments, &arguments->words, &prefix, error) ||
        !env_of(host, prefix, &env, error))
        return false;
    env_tell(session, &env);
    return format->append(&env, &input, text, error);
}

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    AUTO_TEXT struct text text = {0};
    AUTO_HOST struct host *tree = NULL;
    const struct host *host = NULL;
    const struct env_format *format = find_format(session, arguments, error);
    if (format == NULL || !session_load_manifest(session, arguments, error) ||
        !installed_host(session, arguments, &tree, &host, error))
        return false;
    *ret_exit_code = EXIT_DONE;
    return append(session, arguments, format, host, &text, error) &&
           session_write(arguments, &text, error);
}

const struct command command_env = {
    .name = "env",
    .summary = "the variables that an installation needs, for a shell or a file",
    .usage = "gpuenv env [OPTION...] [SPEC|--prefix DIR]",
    .details = "Prints the variables that let programs find an installation: PATH, CUDA_HOME, "
               "CUDA_PATH, CUDAToolkit_ROOT, PKG_CONFIG_PATH, and LD_LIBRARY_PATH where the loader "
               "does not already find its libraries. eval \"$(gpuenv env cuda@12.8)\" sets them in "
               "this shell; running it again changes nothing. If neither SPEC nor --prefix is "
               "given, gpuenv uses the installation selected with \"gpuenv use\", or the only "
               "installation. --prefix may name a toolkit that gpuenv did not install.",
    .examples = "eval \"$(gpuenv env cuda@12.8)\"\n"
                "gpuenv env cuda@12.8 --format docker",
    .options = options,
    .run = run,
};
