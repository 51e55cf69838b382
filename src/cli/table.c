/* SPDX-License-Identifier: MIT */
#include "cli/command.h"

const struct command *const command_table[] = {
    &command_doctor,
    &command_facts,
    &command_explain,
    &command_resolve,
    &command_gpu,
    &command_inspect,
    &command_plan,
    &command_install,
    &command_list,
    &command_env,
    &command_exec,
    &command_use,
    &command_verify,
    &command_uninstall,
    &command_mirror,
    &command_cache,
    &command_manifest,
    &command_version,
    NULL,
};

const struct command *command_find(const char *name)
{
    for (size_t i = 0; command_table[i]; i++)
        if (string_equal(command_table[i]->name, name))
            return command_table[i];
    return NULL;
}
