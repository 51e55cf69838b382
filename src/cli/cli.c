/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <unistd.h>

#include "cli/engine/command.h"
#include "cli/engine/output.h"
#include "cli/installer/installer.h"
#include "cli/synonym.h"
#include "host/local/terminal.h"
#include "host/root/input.h"
#include "manifest/manifest.h"

static const char *session_environment(const void *context, const char *name)
{
    return host_environment(context, name);
}

static int print(const struct text *text, struct error *error)
{
    return output_stdout(text, error) ? EXIT_DONE : (int)exit_code_of(error->kind);
}

/* What may stand as the first word, options or commands. */
static void first_words(bool option, struct strlist *names)
{
    if (option) {
        strlist_add(names, "--help");
        strlist_add(names, "--version");
        return;
    }
    for (size_t i = 0; command_table[i]; i++)
        strlist_add(names, command_table[i]->name);
    strlist_add(names, "help");
}

static int unknown_first_word(const char *word, struct error *error)
{
    AUTO_STRLIST struct strlist names = {0};
    bool option = word[0] == '-';
    first_words(option, &names);
    usage_error(error, "gpuenv", word, &names,
                option ? "unknown option %s; a command's options go after the command"
                       : "unknown command %s",
                word);
    const char *advice = synonym_advice(word);
    if (advice)
        error_next(error, "%s", advice);
    return EXIT_USAGE;
}

static bool is_help(const char *word)
{
    return string_equal(word, "--help") || string_equal(word, "-h");
}

/* gpuenv help [COMMAND] */
static int run_help(int count, char *const argv[], struct error *error)
{
    AUTO_TEXT struct text text = {0};
    if (count == 0 || is_help(argv[0]) || string_equal(argv[0], "help")) {
        command_append_overview(terminal_width(STDOUT_FILENO), &text);
        return print(&text, error);
    }
    const struct command *command = command_find(argv[0]);
    if (command == NULL)
        return unknown_first_word(argv[0], error);
    command_append_help(command, terminal_width(STDOUT_FILENO), &text);
    return print(&text, error);
}

/* gpuenv --version: without a look at gpuenv-install, which the command version takes. */
static int run_version(struct session *session, int count, char *const argv[], struct error *error)
{
    AUTO_TEXT struct text text = {0};
    if (count > 0) {
        usage_error(error, "gpuenv", NULL, NULL, "--version takes no argument, got \"%s\"",
                    argv[0]);
        return EXIT_USAGE;
    }
    session_use_kept(session, false);
    version_append(session, &text);
    return print(&text, error);
}

static int run_parsed(const struct command *command, struct session *session,
                      const struct arguments *arguments, struct error *error)
{
    if (arguments_have(arguments, "help")) {
        AUTO_TEXT struct text text = {0};
        command_append_help(command, terminal_width(STDOUT_FILENO), &text);
        return print(&text, error);
    }
    int exit_code = EXIT_INTERNAL;
    if (!input_variable_is_safe("TZ", error) || /* the C library reads it for any date */
        !command->run(session, arguments, &exit_code, error))
        return (int)exit_code_of(error->kind);
    return exit_code;
}

static int run_command(const struct command *command, struct session *session, int count,
                       char *const argv[], struct error *error)
{
    struct option_environment environment = {.get = session_environment, .context = session->live};
    AUTO_FREE const struct option **options = command_options(command);
    AUTO_ARGUMENTS struct arguments arguments = {0};
    if (!options_parse(options, session->program, count, argv, command->begins_command,
                       &environment, &arguments, error))
        return (int)exit_code_of(error->kind);
    return run_parsed(command, session, &arguments, error);
}

static int run(struct session *session, int count, char *const argv[], char **program,
               struct error *error)
{
    if (count == 0)
        return run_help(0, NULL, error);
    const char *word = argv[0];
    if (is_help(word))
        return run_help(0, NULL, error);
    if (string_equal(word, "help"))
        return run_help(count - 1, argv + 1, error);
    if (string_equal(word, "--version") || string_equal(word, "-V"))
        return run_version(session, count - 1, argv + 1, error);
    const struct command *command = command_find(word);
    if (command == NULL)
        return unknown_first_word(word, error);
    *program = mem_printf("gpuenv %s", command->name);
    session->program = *program;
    return run_command(command, session, count - 1, argv + 1, error);
}

int cli_main(int argc, char **argv)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *program = NULL;
    struct inherited inherited = inherited_take();
    output_prepare();
    struct host *live = host_new(NULL, &error);
    struct session session = {
        .live = live, .program = "gpuenv", .manifest = manifest_new(), .inherited = inherited};
    int exit_code = EXIT_INTERNAL;
    if (live)
        exit_code = run(&session, argc > 0 ? argc - 1 : 0, argv + 1, &program, &error);
    if (error_is_set(&error))
        output_error(session.program, &error);
    manifest_free(session.manifest);
    text_free(&session.manifest_text);
    free(session.manifest_path);
    installer_lock_free(session.lock);
    strlist_free(&session.then);
    strlist_free(&session.then_commands);
    host_free(live);
    return exit_code;
}
