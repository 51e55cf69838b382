/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/env/env.h"

/* Formats that a shell reads. A directory comes first in its list and stands there once, wherever
 * it stood before; and a list gets no empty element, which would be the current directory. */

/* How a shell takes a character that would end a single quote. */
struct quoting {
    const char *escaped, *before, *after;
};
static const struct quoting posix = {.escaped = "'", .before = "'\\", .after = "'"};
/* The history's sign means itself nowhere but behind a backslash. */
static const struct quoting csh_quoting = {.escaped = "'!", .before = "'\\", .after = "'"};
static const struct quoting fish_quoting = {.escaped = "'\\", .before = "\\", .after = ""};

/* As it is where every shell takes it so, else between single quotes. */
static char *quote(const struct quoting *quoting, const char *value)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "/._-+@%,";
    AUTO_TEXT struct text text = {0};
    if (*value && strspn(value, plain) == strlen(value))
        return mem_string(value);
    text_append_char(&text, '\'');
    for (const char *c = value; *c; c++)
        if (strchr(quoting->escaped, *c))
            text_printf(&text, "%s%c%s", quoting->before, *c, quoting->after);
        else
            text_append_char(&text, *c);
    text_append_char(&text, '\'');
    return text_steal(&text);
}

/* How a shell is told: '@' stands for the variable, '^' for the quoted value. */
struct shell {
    const struct quoting *quoting;
    const char *set, *list;
    const char *path; /* a list that has a way of its own: PATH; or NULL */
};

/* The new directory with what was there behind it and a ':' at the end, so that whatever is the
 * directory once more stands between two ':'. */
#define POSIX_LIST                                                                                 \
    "@=^${@:+:$@}:\n"                                                                              \
    "while case $@ in *:^:*) ;; *) false ;; esac; do @=${@%:^:*}:${@##*:^:}; done\n"

static const struct shell sh = {
    .quoting = &posix, .set = "export @=^\n", .list = POSIX_LIST "export @=${@%:}\n"};

/* To fish every variable whose name ends in PATH is a list. */
static const struct shell fish = {.quoting = &fish_quoting,
                                  .set = "set -gx @ ^\n",
                                  .list = "test -n \"$@\"; or set -e @\n"
                                          "while contains -- ^ $@; set -e @[(contains -i -- ^ "
                                          "$@)]; end\n"
                                          "set -gx @ ^ $@\n"};

/* It puts the values of all variables of a line in first, so that each line may use none that is
 * not set; and its patterns take a quoted [ for their own. What stands further behind in the list
 * stays there. */
static const struct shell csh = {
    .quoting = &csh_quoting,
    .set = "setenv @ ^;\n",
    .list = "if ( ! $?@ ) setenv @ ^;\n"
            "if ( \"${@}\" == \"\" ) setenv @ ^;\n"
            "if ( \"`printenv @ | cut -d: -f1`\" != ^ ) setenv @ ^:\"${@}\";\n"};

/* The runner keeps what a step writes into two files for the steps after it. A directory that is
 * written once more comes first there. */
static const struct shell github = {.quoting = &posix,
                                    .set = "printf '@=%s\\n' ^ >>\"$GITHUB_ENV\"\n",
                                    .list = POSIX_LIST
                                    "printf '@=%s\\n' \"${@%:}\" >>\"$GITHUB_ENV\"\n",
                                    .path = "printf '%s\\n' ^ >>\"$GITHUB_PATH\"\n"};

static bool append_rows(const struct shell *shell, const struct env *env, struct text *output)
{
    for (size_t i = 0; i < env->count; i++) {
        const struct env_row *row = &env->rows[i];
        AUTO_FREE char *value = quote(shell->quoting, row->value);
        const char *said = row->is_list ? shell->list : shell->set;
        if (shell->path && string_equal(row->name, "PATH"))
            said = shell->path;
        for (const char *c = said; *c; c++)
            if (*c == '@')
                text_append(output, row->name);
            else if (*c == '^')
                text_append(output, value);
            else
                text_append_char(output, *c);
    }
    return true;
}

bool env_append_sh(const struct env *env, const struct env_input *input, struct text *output,
                   struct error *error)
{
    (void)input;
    (void)error;
    return append_rows(&sh, env, output);
}

bool env_append_fish(const struct env *env, const struct env_input *input, struct text *output,
                     struct error *error)
{
    (void)input;
    (void)error;
    return append_rows(&fish, env, output);
}

bool env_append_csh(const struct env *env, const struct env_input *input, struct text *output,
                    struct error *error)
{
    (void)input;
    (void)error;
    return append_rows(&csh, env, output);
}

bool env_append_github(const struct env *env, const struct env_input *input, struct text *output,
                       struct error *error)
{
    (void)input;
    (void)error;
    return append_rows(&github, env, output);
}
