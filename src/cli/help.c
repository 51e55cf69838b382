/* SPDX-License-Identifier: MIT */
#include "cli/command.h"
#include "base/wrap.h"

#define HELP_COLUMNS 80

void command_append_overview(struct text *output)
{
    text_append(output, "gpuenv says what is wrong with a machine's NVIDIA driver, CUDA and cuDNN, "
                        "and\nwhat to do about it.\n\n"
                        "usage: gpuenv COMMAND [OPTION...]\n\ncommands:\n");
    for (size_t i = 0; command_table[i]; i++)
        text_printf(output, "  %-11s%s\n", command_table[i]->name, command_table[i]->summary);
    text_printf(output, "  %-11s%s\n", "help", "print this help, or that of a command");
    text_append(output,
                "\noptions:\n"
                "  --version   print the versions of gpuenv and of its manifest\n"
                "  -h, --help  print this help\n\n"
                "\"gpuenv help COMMAND\" and \"gpuenv COMMAND --help\" explain a command.\n");
}

/* "Each option but --help can be given in the environment too". */
static void append_twins(const struct option *const options[], struct text *output)
{
    AUTO_STRLIST struct strlist names = {0};
    for (size_t i = 0; options[i]; i++)
        if (options[i]->no_twin)
            strlist_take(&names, mem_printf("--%s", options[i]->name));
    AUTO_FREE char *but = strlist_join(&names, " and ");
    AUTO_FREE char *words =
        mem_printf("Each option but %s can be given in the environment too: --no-color as "
                   "GPUENV_NO_COLOR=1, for example. The command line comes first.",
                   but);
    wrap_paragraph(output, HELP_COLUMNS, 0, words);
}

/* "Every command takes --no-color; here it changes nothing." */
static void append_taken(const struct command *command, struct text *output)
{
    AUTO_FREE const struct option **options = command_options(command);
    AUTO_STRLIST struct strlist names = {0};
    size_t own = 0;
    while (command->options[own])
        own++;
    for (size_t i = own; options[i]; i++)
        strlist_take(&names, mem_printf("--%s", options[i]->name));
    if (names.count == 0)
        return;
    AUTO_FREE char *list = strlist_join(&names, ", ");
    AUTO_FREE char *words = mem_printf("Every command takes %s; here %s nothing.", list,
                                       names.count > 1 ? "they change" : "it changes");
    wrap_paragraph(output, HELP_COLUMNS, 0, words);
}

void command_append_help(const struct command *command, struct text *output)
{
    text_printf(output, "usage: %s\n\n", command->usage);
    wrap_paragraph(output, HELP_COLUMNS, 0, command->details);
    text_append(output, "\noptions:\n");
    options_append_help(command->options, output);
    text_append(output, "\n");
    append_taken(command, output);
    append_twins(command->options, output);
}
