/* SPDX-License-Identifier: MIT */
#include "cli/engine/command.h"

#include <string.h>

const struct command *const command_table[] = {
#define COMMAND(name) &command_##name,
#include "cli/engine/commands.def"
#undef COMMAND
    NULL,
};

const struct command *command_find(const char *name)
{
    for (size_t i = 0; command_table[i]; i++)
        if (string_equal(command_table[i]->name, name))
            return command_table[i];
    return NULL;
}

static const struct option *const everywhere[] = {&option_quiet, &option_verbose, &option_no_color,
                                                  NULL};

static size_t table_count(const struct option *const table[])
{
    size_t count = 0;
    while (table[count])
        count++;
    return count;
}

static bool table_has(const struct option *const table[], const struct option *option)
{
    for (size_t i = 0; table[i]; i++)
        if (string_equal(table[i]->name, option->name))
            return true;
    return false;
}

const struct option **command_options(const struct command *command)
{
    size_t own = table_count(command->options), count = own;
    const struct option **options =
        mem_alloc((own + table_count(everywhere) + 1) * sizeof(const struct option *));
    memcpy(options, command->options, own * sizeof(const struct option *));
    for (size_t i = 0; everywhere[i]; i++)
        if (!table_has(command->options, everywhere[i]))
            options[count++] = everywhere[i];
    options[count] = NULL;
    return options;
}
