/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/engine/command.h"
#include "cli/engine/output.h"
#include "cli/env/env.h"
#include "cli/installer/installer.h"
#include "cli/machine/installed.h"
#include "host/root/file.h"

static const struct option *const options[] = {
    &option_prefix_of,
    &option_manifest,
    &option_help,
    NULL,
};

/* "--" may be left out: what is no SPEC is the command. A command that is called as a product is
 * needs it. */
static bool is_program(const char *word)
{
    return strchr(word, '@') == NULL && !string_equal(word, "cuda") && !string_equal(word, "cudnn");
}

/* Before "--" stands at most the SPEC, behind it the command. */
static bool split_words(const struct session *session, const struct arguments *arguments,
                        struct strlist *specs, struct error *error)
{
    const struct strlist *words = &arguments->words;
    if (!arguments->have_end || arguments->end == words->count)
        return usage_error(error, session->program, NULL, NULL,
                           "give a command to run, as in gpuenv exec cuda@12.8 nvcc --version");
    for (size_t i = 0; i < arguments->end; i++)
        strlist_add(specs, words->items[i]);
    return true;
}

/* A link may come to lead elsewhere while the command runs. */
static bool find_prefix(const struct session *session, const struct arguments *arguments,
                        const struct strlist *specs, char **ret_prefix, struct error *error)
{
    AUTO_FREE char *named = NULL;
    if (!installed_choose(session, session->live, arguments, specs, &named, error))
        return false;
    if (host_real_path(session->live, named, ret_prefix, NULL) != HOST_OK)
        *ret_prefix = mem_steal(&named); /* env_of() says what is wrong with it */
    return true;
}

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    AUTO_STRLIST struct strlist specs = {0};
    AUTO_FREE char *prefix = NULL;
    AUTO_ENV struct env env = {.prefix = NULL};
    AUTO_FREE char **argv = NULL;
    AUTO_ERROR struct error refused = {0};
    size_t count = 0, capacity = 0;
    if (!split_words(session, arguments, &specs, error) ||
        !session_load_manifest(session, arguments, error) ||
        !find_prefix(session, arguments, &specs, &prefix, error) ||
        !env_of(session->live, prefix, &env, error))
        return false;
    env_tell(session, &env);
    for (size_t i = 0; i < env.count; i++) {
        AUTO_FREE char *value = env_expand(session->live, &env.rows[i]);
        become_set(env.rows[i].name, value);
    }
    for (size_t i = arguments->end; i < arguments->words.count; i++)
        *vec_push(argv, count, capacity) = arguments->words.items[i];
    vec_push(argv, count, capacity);
    become(argv, &session->inherited, ret_exit_code, &refused);
    output_error(session->program, &refused);
    return true;
}

const struct command command_exec = {
    .name = "exec",
    .summary = "run a command with an installation in its environment",
    .usage = "gpuenv exec [OPTION...] [SPEC|--prefix DIR] [--] COMMAND [ARG...]",
    .details =
        "Runs COMMAND with the variables that gpuenv env prints. COMMAND replaces gpuenv, so "
        "signals reach COMMAND, and the exit code is COMMAND's. As in a shell, the exit code is "
        "127 when COMMAND is not found and 126 when it cannot be run. If gpuenv finds no "
        "installation, the exit code is 64 or higher. If neither SPEC nor --prefix is given, "
        "gpuenv uses the installation selected with \"gpuenv use\", or the only installation.",
    .examples = "gpuenv exec cuda@12.8 nvcc --version\n"
                "gpuenv exec --prefix ~/cuda -- make -j8",
    .options = options,
    .begins_command = is_program,
    .run = run,
};
