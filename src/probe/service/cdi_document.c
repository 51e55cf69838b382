/* SPDX-License-Identifier: MIT */
#include "probe/service/cdi_document.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* One walk over the text, line by line, that knows whether it is within quotes, brackets or a block
 * of text. */
#define DEPTH_MAX 64

struct walk {
    char open[DEPTH_MAX]; /* brackets that are not closed yet */
    size_t depth;
    size_t opened; /* line of the outermost */
    char quote;    /* '\0': not within quotes */
    size_t quoted; /* line where they begin */
    bool block;    /* within text that is kept as it stands ("|", ">") */
    size_t block_indent;
    bool loose; /* within annotations, whose keys are free */
    size_t loose_indent;
    size_t line;
};

/* Keys of a specification: CDI's specs-go/config.go, release 1.1.0. A key that is not known makes
 * engines refuse the file (SPEC.md, "spec loading fails on unknown fields"). */
static bool key_is_known(const char *key, size_t length)
{
    static const char *const keys[] = {"cdiVersion",
                                       "kind",
                                       "annotations",
                                       "devices",
                                       "name",
                                       "env",
                                       "deviceNodes",
                                       "containerEdits",
                                       "netDevices",
                                       "hooks",
                                       "mounts",
                                       "intelRdt",
                                       "additionalGids",
                                       "path",
                                       "hostPath",
                                       "type",
                                       "major",
                                       "minor",
                                       "fileMode",
                                       "permissions",
                                       "uid",
                                       "gid",
                                       "hookName",
                                       "args",
                                       "timeout",
                                       "options",
                                       "closID",
                                       "containerPath",
                                       "l3CacheSchema",
                                       "memBwSchema",
                                       "enableCMT",
                                       "enableMBM",
                                       "schemata",
                                       "enableMonitoring",
                                       "hostInterfaceName"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (strlen(keys[i]) == length && strncasecmp(keys[i], key, length) == 0)
            return true;
    return false;
}

/* Behind the quote that ends what began at text; the end of the line where it goes on. */
static const char *skip_quoted(struct walk *walk, const char *text)
{
    while (*text && walk->quote) {
        if ((*text == '\\' && walk->quote == '"' && text[1]) ||
            (*text == '\'' && walk->quote == '\'' && text[1] == '\''))
            text++;
        else if (*text == walk->quote)
            walk->quote = '\0';
        text++;
    }
    return text;
}

/* Walks over brackets and quotes until the outermost bracket is closed, or to the end of the line.
 * *ret_problem is set where they do not fit. */
static const char *skip_flow(struct walk *walk, const char *text, char **ret_problem)
{
    char before = ' ';
    while (*text && walk->depth > 0 && *ret_problem == NULL) {
        char at = *text++;
        if ((at == '"' || at == '\'') && strchr(" \t,:[{", before)) {
            walk->quote = at;
            walk->quoted = walk->line;
            text = skip_quoted(walk, text);
        } else if (at == '#' && strchr(" \t", before)) {
            return text + strlen(text);
        } else if ((at == '[' || at == '{') && walk->depth < DEPTH_MAX) {
            walk->open[walk->depth++] = at == '[' ? ']' : '}';
        } else if (at == ']' || at == '}') {
            walk->depth--;
            if (walk->open[walk->depth] != at)
                *ret_problem = mem_printf("line %zu: %c where %c is due", walk->line, at,
                                          walk->open[walk->depth]);
        }
        before = at;
    }
    return text;
}

/* The length of the key that text begins with, 0 when it begins with none. */
static size_t key_length(const char *text)
{
    size_t length =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return length > 0 && text[length] == ':' &&
                   (text[length + 1] == '\0' || isspace((unsigned char)text[length + 1]))
               ? length
               : 0;
}

/* A value: begins what may go on in other lines. */
static void take_value(struct walk *walk, const char *text, size_t indent, char **ret_problem)
{
    text += strspn(text, " \t");
    if (*text == '|' || *text == '>') {
        walk->block = true;
        walk->block_indent = indent;
    } else if (*text == '"' || *text == '\'') {
        walk->quote = *text;
        walk->quoted = walk->line;
        skip_quoted(walk, text + 1);
    } else if (*text == '[' || *text == '{') {
        walk->open[0] = *text == '[' ? ']' : '}';
        walk->depth = 1;
        walk->opened = walk->line;
        skip_flow(walk, text + 1, ret_problem);
    }
}

static void take_line(struct walk *walk, const char *line, char **ret_problem)
{
    size_t spaces = strspn(line, " ");
    size_t blank = strspn(line, " \t\r");
    const char *text = line + blank;
    if (*text == '\0' || (walk->block && spaces > walk->block_indent))
        return;
    walk->block = false;
    if (*text == '#' || string_starts(line, "---") || string_starts(line, "...") || *line == '%')
        return;
    if (blank > spaces) {
        *ret_problem = mem_printf("line %zu: a tab in the indentation", walk->line);
        return;
    }
    size_t indent = spaces;
    while (text[0] == '-' && text[1] == ' ') {
        indent += 1 + strspn(text + 1, " ");
        text = line + indent;
    }
    if (walk->loose && spaces <= walk->loose_indent)
        walk->loose = false;
    size_t length = key_length(text);
    if (length > 0 && !walk->loose && !key_is_known(text, length)) {
        *ret_problem =
            mem_printf("line %zu: CDI has no key named %.*s", walk->line, (int)length, text);
        return;
    }
    if (length > 0 && strncmp(text, "annotations", length) == 0) {
        walk->loose = true;
        walk->loose_indent = indent;
    }
    take_value(walk, length > 0 ? text + length + 1 : text, spaces, ret_problem);
}

/* What was begun and has not ended. */
static char *open_problem(const struct walk *walk)
{
    if (walk->quote)
        return mem_printf("line %zu: %c is not closed", walk->quoted, walk->quote);
    if (walk->depth > 0)
        return mem_printf("line %zu: %c is not closed", walk->opened,
                          walk->open[0] == ']' ? '[' : '{');
    return NULL;
}

char *cdi_document_problem(const char *text)
{
    AUTO_FREE char *copy = mem_string(text);
    struct walk walk = {.line = 0};
    char *problem = NULL;
    char *cursor = copy;
    for (char *line; problem == NULL && (line = string_next_line(&cursor)) != NULL;) {
        const char *at = line;
        walk.line++;
        if (walk.quote)
            at = skip_quoted(&walk, at);
        if (walk.depth > 0 && walk.quote == '\0')
            skip_flow(&walk, at, &problem);
        else if (at == line && walk.quote == '\0')
            take_line(&walk, line, &problem);
    }
    return problem ? problem : open_problem(&walk);
}
