/* SPDX-License-Identifier: MIT */
#ifndef CLI_ENGINE_COMMAND_H
#define CLI_ENGINE_COMMAND_H

#include "cli/engine/options.h"
#include "cli/engine/session.h"

struct error;
struct text;

/* A part of the options in a command's help. */
struct option_group {
    const char *title;                   /* "where"; NULL ends a list of groups */
    const struct option *const *options; /* ends with NULL */
};

/* One command. A new one is one file and one row of commands.def. */
struct command {
    const char *name;
    const char *summary;                 /* a few words for the list of commands */
    const char *usage;                   /* "gpuenv doctor [OPTION...] [CHECK...]" */
    const char *details;                 /* a paragraph for its help */
    const char *examples;                /* lines to copy */
    const struct option *const *options; /* ends with NULL */
    /* For its help; an option in no group is taken, and changes nothing. NULL: one list. */
    const struct option_group *groups;
    command_begins *begins_command; /* NULL: it runs none */
    /* Returns true with *ret_exit_code set, or false with error filled. */
    bool (*run)(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error);
};
#define COMMAND(name) extern const struct command command_##name;
#include "cli/engine/commands.def"
#undef COMMAND
extern const struct command *const command_table[]; /* ends with NULL */

const struct command *command_find(const char *name);

/* The command's own options, and behind them --quiet, --verbose and --no-color where it has them
 * not: every command takes these, and there they change nothing. Ends with NULL; free() it. */
const struct option **command_options(const struct command *command);

/* The versions of gpuenv and of the manifest it judges by, two lines. */
void version_append(const struct session *session, struct text *output);

/* The program's help, and a command's. */
void command_append_overview(unsigned columns, struct text *output);
void command_append_help(const struct command *command, unsigned columns, struct text *output);

#endif
