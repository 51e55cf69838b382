/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/text.h"
#include "rules/engine/finding.h"

/* Systems without a shell, which are not changed from within: their own tool does it from outside.
 */
static const struct {
    const char *system; /* ID of os-release */
    const char *tool;
    const char *elsewhere; /* where any other command can be run */
} outside[] = {
    {"talos", "talosctl",
     "in a privileged pod on this node (Talos has no shell of its own; kubectl debug node/NAME "
     "--profile=sysadmin): "},
};

#define TALOS_FABRIC "ext-nvidia-fabricmanager"

/* What commands begin with, and what the system has instead. */
static const struct {
    const char *system, *command, *instead;
} words[] = {
    {"talos", "sudo dmesg", "talosctl dmesg"},
    {"talos", "sudo reboot", "talosctl reboot"},
    {"talos", "sudo tail -n 30 /var/log/fabricmanager.log",
     "talosctl logs " TALOS_FABRIC " --tail 30"},
    {"talos", "sudo systemctl restart nvidia-fabricmanager",
     "talosctl service " TALOS_FABRIC " restart"},
};

static void replace(char **string, char *with)
{
    free(*string);
    *string = with;
}

/* False: the system has nothing of its own instead. */
static bool in_own_words(struct finding_fix *fix, const char *system)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t size = strlen(words[i].command);
        if (!string_equal(words[i].system, system) ||
            !string_starts(fix->command, words[i].command) ||
            (fix->command[size] != '\0' && fix->command[size] != ' '))
            continue;
        replace(&fix->command, mem_printf("%s%s", words[i].instead, fix->command + size));
        return true;
    }
    return false;
}

static void fit(struct finding_fix *fix, const char *system, size_t row)
{
    if (fix->command == NULL || fix->kind == FIX_SHELL ||
        string_starts(fix->command, outside[row].tool))
        return;
    for (size_t i = 0; i < fix->program_count; i++)
        strlist_free(&fix->program[i]);
    fix->program_count = 0;
    fix->root = false;
    if (in_own_words(fix, system)) {
        fix->kind = fix->kind == FIX_LOOK ? FIX_LOOK : FIX_CHOICE;
        return;
    }
    const char *command = fix->command;
    command += string_starts(command, "sudo ") ? strlen("sudo ") : 0;
    replace(&fix->note, mem_printf("%s%s%s%s", outside[row].elsewhere, command,
                                   fix->note ? "; " : "", fix->note ? fix->note : ""));
    replace(&fix->command, NULL);
    fix->kind = FIX_ADVICE;
}

void finding_fit_system(struct finding *finding, const char *system)
{
    for (size_t row = 0; row < sizeof(outside) / sizeof(outside[0]); row++)
        for (size_t i = 0; string_equal(outside[row].system, system) && i < finding->fix_count; i++)
            fit(&finding->fixes[i], system, row);
}
