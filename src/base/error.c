/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/wrap.h"

/* What EFBIG stands for: its own words sound as if something were wrong with the file. */
#define TOO_LARGE "larger than the file size limit (ulimit -f), or than the file system allows"

void error_clear(struct error *error)
{
    free(error->what);
    free(error->where);
    free(error->why);
    free(error->next);
    free(error->command);
    *error = (struct error){0};
}

bool error_move(struct error *from, struct error *to)
{
    if (to) {
        error_clear(to);
        *to = *from;
        *from = (struct error){.kind = ERROR_NONE};
    }
    return false;
}

bool error_is_set(const struct error *error)
{
    return error->kind != ERROR_NONE;
}

bool error_set(struct error *error, enum error_kind kind, const char *format, ...)
{
    if (error == NULL)
        return false;
    va_list arguments;
    va_start(arguments, format);
    char *what = mem_vprintf(format, arguments);
    va_end(arguments);
    error_clear(error);
    error->kind = kind;
    error->what = what;
    return false;
}

bool error_set_errno(struct error *error, enum error_kind kind, int number, const char *where,
                     const char *format, ...)
{
    if (error == NULL)
        return false;
    va_list arguments;
    va_start(arguments, format);
    char *what = mem_vprintf(format, arguments);
    va_end(arguments);
    char *where_copy = mem_string(where);
    error_clear(error);
    error->kind = number == ENOMEM ? ERROR_INTERNAL : kind;
    error->what = what;
    error->where = where_copy;
    char buffer[256];
    const char *words = strerror_r(number, buffer, sizeof(buffer));
    error->why = number == EFBIG ? mem_printf("%s (" TOO_LARGE ")", words) : mem_string(words);
    return false;
}

__attribute__((format(printf, 2, 0))) static bool replace_part(char **part, const char *format,
                                                               va_list arguments)
{
    char *replacement = mem_vprintf(format, arguments);
    free(*part);
    *part = replacement;
    return false;
}

#define DEFINE_PART(part)                                                                          \
    bool error_##part(struct error *error, const char *format, ...)                                \
    {                                                                                              \
        if (error == NULL)                                                                         \
            return false;                                                                          \
        va_list arguments;                                                                         \
        va_start(arguments, format);                                                               \
        replace_part(&error->part, format, arguments);                                             \
        va_end(arguments);                                                                         \
        return false;                                                                              \
    }

DEFINE_PART(where)
DEFINE_PART(why)
DEFINE_PART(command)

bool error_next(struct error *error, const char *format, ...)
{
    if (error == NULL)
        return false;
    free(mem_steal(&error->command));
    va_list arguments;
    va_start(arguments, format);
    replace_part(&error->next, format, arguments);
    va_end(arguments);
    return false;
}

bool error_prefix(struct error *error, const char *format, ...)
{
    if (error == NULL || error->what == NULL)
        return false;
    va_list arguments;
    va_start(arguments, format);
    AUTO_FREE char *prefix = mem_vprintf(format, arguments);
    va_end(arguments);
    char *what = mem_printf("%s: %s", prefix, error->what);
    free(error->what);
    error->what = what;
    return false;
}

static void format_words(const struct error *error, struct text *text)
{
    text_append_safe(text, error->what ? error->what : "unknown error");
    if (error->where) {
        text_append(text, ": ");
        text_append_safe(text, error->where);
    }
    if (error->why) {
        text_append(text, ": ");
        text_append_safe(text, error->why);
    }
    if (error->next) {
        text_append(text, "\n");
        text_append_safe(text, error->next);
    }
}

static void append_command(const char *command, unsigned indent, struct text *text)
{
    struct wrap wrap;
    text_printf(text, "%*s", (int)indent, "");
    wrap_begin(&wrap, text, 0, indent, indent);
    wrap_whole(&wrap, command);
}

void error_format(const struct error *error, struct text *text)
{
    format_words(error, text);
    if (error->command)
        append_command(error->command, 1, text);
}

static void print_wrapped(struct text *text, unsigned columns, const char *line)
{
    struct wrap wrap;
    wrap_begin(&wrap, text, columns, 0, 4);
    wrap_words_again(&wrap, line);
    wrap_end(&wrap);
}

void error_print(const struct error *error, const char *label, unsigned columns, struct text *text)
{
    AUTO_TEXT struct text lines = {0};
    if (columns == 0) {
        text_printf(text, "%s: ", label);
        error_format(error, text);
        text_append_char(text, '\n');
        return;
    }
    text_printf(&lines, "%s: ", label);
    format_words(error, &lines);
    AUTO_FREE char *copy = text_steal(&lines);
    char *cursor = copy;
    for (const char *line = string_next_line(&cursor); line; line = string_next_line(&cursor))
        print_wrapped(text, columns, line);
    if (error->command) {
        append_command(error->command, 2, text);
        text_append_char(text, '\n');
    }
}
