/* SPDX-License-Identifier: MIT */
#ifndef CLI_ENGINE_OPTIONS_H
#define CLI_ENGINE_OPTIONS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/strlist.h"
#include "base/text.h"

/* One option of a command: what the parser accepts, what the help says, and the variable that
 * stands for it, all from one row. */
struct option {
    const char *name;     /* "root", given as --root */
    char letter;          /* 'o', given as -o; 0: none */
    const char *argument; /* what the help calls its value: "DIR"; NULL: a switch */
    const char *help;
    bool repeatable; /* values add up, and each is split at ','; else the last one counts */
    bool whole;      /* of a repeatable one: only its twin is split, a path may have a ',' */
    bool once;       /* a second one is refused: which counts would be a guess */
    bool no_twin;    /* has no GPUENV_NAME in the environment */
    const char *sets, *sets_to; /* a switch that stands for another option: --json sets format */
};

/* What was given. Start with {0}. */
struct argument {
    const char *name;      /* of the option it sets */
    char *origin;          /* "--root" or "GPUENV_ROOT" */
    struct strlist values; /* empty for a switch */
};
struct arguments {
    struct argument *items;
    size_t count, capacity;
    struct strlist words; /* what is no option */
    bool have_end;        /* `--` was given, … */
    size_t end;           /* … after so many words */
};

#define AUTO_ARGUMENTS AUTO(arguments_free)

/* Where the twins are looked up. */
struct option_environment {
    const char *(*get)(const void *context, const char *name); /* NULL: not set */
    const void *context;
};

/* Tells that a word begins a command to be run: it and all behind it are words, as behind `--`. */
typedef bool command_begins(const char *word);

/* Parses argv[0 … count-1] (no program name) by table, which ends with NULL: `--name=value`,
 * `--name value`, `-n value`, `-nvalue`, switches together as `-qv`; `--` ends the options.
 * program ("gpuenv doctor") is named in errors. An option that is not given takes its value from
 * its twin, GPUENV_NAME, when that is set and not empty; beside --help no twin is looked at.
 * begins_command may be NULL. False: ERROR_USAGE, with a next step. */
bool options_parse(const struct option *const table[], const char *program, int count,
                   char *const argv[], command_begins *begins_command,
                   const struct option_environment *environment, struct arguments *ret_arguments,
                   struct error *error);
void arguments_free(struct arguments *arguments);

/* By the option's name. */
bool arguments_have(const struct arguments *arguments, const char *name);
const char *arguments_get(const struct arguments *arguments, const char *name); /* or NULL */
const struct strlist *arguments_all(const struct arguments *arguments, const char *name); /* same */
const char *arguments_origin(const struct arguments *arguments, const char *name);        /* same */

/* The options as help shows them, a line or more for each. */
void options_append_help(const struct option *const table[], unsigned columns, struct text *output);

/* ERROR_USAGE whose next step names the nearest candidate, if any, and the program's help.
 * Returns false. candidates may be NULL. */
bool usage_error(struct error *error, const char *program, const char *word,
                 const struct strlist *candidates, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Puts hint before what usage_error() says can be done: "gpuenv explain lists all findings".
 * Returns false. */
bool usage_hint(struct error *error, const char *hint);

#endif
