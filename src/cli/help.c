/* SPDX-License-Identifier: MIT */
#include "base/wrap.h"
#include "cli/engine/command.h"

/* The list of commands: a title, or a command below it. */
static const struct {
    const char *title;
    const struct command *command;
} listed[] = {
#define GROUP(title)  {title, NULL},
#define COMMAND(name) {NULL, &command_##name},
#include "cli/engine/commands.def"
#undef COMMAND
};

/* Commands are never broken: they can be copied. */
static void append_examples(const char *examples, struct text *output)
{
    AUTO_STRLIST struct strlist lines = {0};
    strlist_split(&lines, examples, '\n');
    text_append(output, lines.count > 1 ? "\nexamples:\n" : "\nexample:\n");
    for (size_t i = 0; i < lines.count; i++)
        text_printf(output, "  %s\n", lines.items[i]);
}

/* A row of the list of commands. */
static void append_summary(const char *name, const char *words, unsigned columns,
                           struct text *output)
{
    enum { INDENT = 13 };
    struct wrap wrap;
    text_printf(output, "  %-11s", name);
    wrap_begin(&wrap, output, columns, INDENT, INDENT);
    wrap_words(&wrap, words);
    wrap_end(&wrap);
}

void command_append_overview(unsigned columns, struct text *output)
{
    wrap_paragraph(output, columns, 0,
                   "gpuenv says what is wrong with an NVIDIA machine and how to fix that machine, "
                   "and installs matching CUDA and cuDNN versions.");
    text_append(output, "\nusage: gpuenv COMMAND [OPTION...]\n\ncommands:\n");
    for (size_t i = 0; i < sizeof(listed) / sizeof(listed[0]); i++)
        if (listed[i].command)
            append_summary(listed[i].command->name, listed[i].command->summary, columns, output);
        else
            text_printf(output, " %s\n", listed[i].title);
    append_summary("help", "print this help, or the help of a command", columns, output);
    append_examples("gpuenv doctor\n"
                    "gpuenv explain 802\n"
                    "gpuenv install cuda cudnn --accept-eula",
                    output);
    text_append(output, "\noptions:\n");
    append_summary("--version", "print the versions of gpuenv and its manifest", columns, output);
    append_summary("-h, --help", "print this help; after a command, the help of the command",
                   columns, output);
}

/* "Each option but --help can be given in the environment too". */
static void append_twins(const struct option *const options[], unsigned columns,
                         struct text *output)
{
    AUTO_STRLIST struct strlist names = {0};
    for (size_t i = 0; options[i]; i++)
        if (options[i]->no_twin)
            strlist_take(&names, mem_printf("--%s", options[i]->name));
    AUTO_FREE char *but = strlist_join(&names, " and ");
    AUTO_FREE char *words =
        mem_printf("Each option except %s can be set in the environment too, for example "
                   "--no-color as GPUENV_NO_COLOR=1. The command line takes precedence.",
                   but);
    wrap_paragraph(output, columns, 0, words);
}

static bool is_listed(const struct option *const options[], const struct option *option)
{
    for (size_t i = 0; options[i]; i++)
        if (options[i] == option)
            return true;
    return false;
}

/* True when the command's help explains the option. */
static bool is_explained(const struct command *command, const struct option *option)
{
    if (command->groups == NULL)
        return is_listed(command->options, option);
    for (const struct option_group *group = command->groups; group->title; group++)
        if (is_listed(group->options, option))
            return true;
    return false;
}

/* "Taken without effect, so that …: --no-color." */
static void append_taken(const struct command *command, unsigned columns, struct text *output)
{
    AUTO_FREE const struct option **options = command_options(command);
    AUTO_STRLIST struct strlist names = {0};
    for (size_t i = 0; options[i]; i++)
        if (!is_explained(command, options[i]))
            strlist_take(&names, mem_printf("--%s", options[i]->name));
    if (names.count == 0)
        return;
    AUTO_FREE char *list = strlist_join(&names, ", ");
    AUTO_FREE char *words = mem_printf(
        "Accepted without effect, so the options of another command can be reused: %s.", list);
    wrap_paragraph(output, columns, 0, words);
}

static void append_options(const struct command *command, unsigned columns, struct text *output)
{
    if (command->groups == NULL) {
        text_append(output, "\noptions:\n");
        options_append_help(command->options, columns, output);
        return;
    }
    for (const struct option_group *group = command->groups; group->title; group++) {
        text_printf(output, "\n%s:\n", group->title);
        options_append_help(group->options, columns, output);
    }
}

void command_append_help(const struct command *command, unsigned columns, struct text *output)
{
    text_printf(output, "usage: %s\n\n", command->usage);
    wrap_paragraph(output, columns, 0, command->details);
    append_examples(command->examples, output);
    append_options(command, columns, output);
    text_append(output, "\n");
    append_taken(command, columns, output);
    append_twins(command->options, columns, output);
}
