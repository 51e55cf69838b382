/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/env.h"

/* Formats that a shell reads. Sourced twice they change nothing the second time, and they add no
 * empty element to a list: that would be the current directory. */

/* How a shell takes a character that would end a single quote. */
struct quoting {
    const char *escaped, *before, *after;
};
static const struct quoting posix = {.escaped = "'", .before = "'\\", .after = "'"};
static const struct quoting fish = {.escaped = "'\\", .before = "\\", .after = ""};

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

bool env_append_sh(const struct env *env, const struct env_input *input, struct text *output,
                   struct error *error)
{
    (void)input;
    (void)error;
    for (size_t i = 0; i < env->count; i++) {
        const struct env_row *row = &env->rows[i];
        AUTO_FREE char *value = quote(&posix, row->value);
        if (row->is_list)
            text_printf(output, "case ${%s-}: in %s:*) ;; *) export %s=%s\"${%s:+:$%s}\" ;; esac\n",
                        row->name, value, row->name, value, row->name, row->name);
        else
            text_printf(output, "export %s=%s\n", row->name, value);
    }
    return true;
}

/* To fish every variable whose name ends in PATH is a list. */
bool env_append_fish(const struct env *env, const struct env_input *input, struct text *output,
                     struct error *error)
{
    (void)input;
    (void)error;
    for (size_t i = 0; i < env->count; i++) {
        const struct env_row *row = &env->rows[i];
        AUTO_FREE char *value = quote(&fish, row->value);
        if (row->is_list)
            text_printf(output,
                        "test -n \"$%s\"; or set -e %s\n"
                        "test \"$%s[1]\" = %s; or set -gx %s %s $%s\n",
                        row->name, row->name, row->name, value, row->name, value, row->name);
        else
            text_printf(output, "set -gx %s %s\n", row->name, value);
    }
    return true;
}

/* The runner keeps what a step writes into two files for the steps after it. */
bool env_append_github(const struct env *env, const struct env_input *input, struct text *output,
                       struct error *error)
{
    (void)input;
    (void)error;
    for (size_t i = 0; i < env->count; i++) {
        const struct env_row *row = &env->rows[i];
        AUTO_FREE char *value = quote(&posix, row->value);
        if (string_equal(row->name, "PATH"))
            text_printf(output, "printf '%%s\\n' %s >>\"$GITHUB_PATH\"\n", value);
        else if (row->is_list)
            text_printf(output,
                        "case ${%s-}: in %s:*) ;; *) printf '%s=%%s\\n' "
                        "%s\"${%s:+:$%s}\" >>\"$GITHUB_ENV\" ;; esac\n",
                        row->name, value, row->name, value, row->name, row->name);
        else
            text_printf(output, "printf '%s=%%s\\n' %s >>\"$GITHUB_ENV\"\n", row->name, value);
    }
    return true;
}
