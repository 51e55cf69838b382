/* SPDX-License-Identifier: MIT */
#ifndef CLI_ENV_ENV_H
#define CLI_ENV_ENV_H

#include "cli/engine/session.h"

struct error;
struct text;

/* The environment that makes an installation the one that programs find. */

struct env_row {
    const char *name;
    char *value;
    bool is_list;         /* value goes before what the variable has, with ':' between */
    const char *fallback; /* of a list: what the variable stands for when it is not set; or NULL */
};
struct env {
    char *prefix;
    char *note;           /* what to tell the user of it; NULL: nothing */
    struct env_row *rows; /* lists last */
    size_t count, capacity;
};
#define AUTO_ENV AUTO(env_free)
void env_free(struct env *env);

/* Prints the note on stderr, where there is one. */
void env_tell(const struct session *session, const struct env *env);

/* What the directory at prefix calls for, by what is in it (env_rows.c). ERROR_NO_INPUT: it is not
 * there, holds nothing to be found, or is being uninstalled; ERROR_USAGE: a name that no format
 * could hold. */
bool env_of(const struct host *host, const char *prefix, struct env *ret_env, struct error *error);
/* The value with what host's environment has in the variable; free() it. */
char *env_expand(const struct host *host, const struct env_row *row);

/* What a format may use beside the rows. */
struct env_input {
    const struct host *host;
    const struct report_input *report;
};
/* Appends the rows to output. False, ERROR_USAGE, where the format cannot say a value. */
typedef bool env_append(const struct env *env, const struct env_input *input, struct text *output,
                        struct error *error);
struct env_format {
    const char *name;
    env_append *append;
};
extern const struct env_format env_formats[]; /* the first is the default; ends with name NULL */

env_append env_append_sh, env_append_fish, env_append_csh, env_append_github; /* env_shells.c */
env_append env_append_docker, env_append_cmake, env_append_modulefile, env_append_dotenv,
    env_append_json; /* env_files.c */

#endif
