/* SPDX-License-Identifier: MIT */
#include "cli/engine/options.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"

/* The command line while it is read. */
struct parser {
    const struct option *const *table;
    const char *program;
    int count;
    char *const *argv;
    int at; /* the next word */
    command_begins *begins_command;
    struct arguments arguments;
    struct error *error;
};

bool usage_error(struct error *error, const char *program, const char *word,
                 const struct strlist *candidates, const char *format, ...)
{
    AUTO_TEXT struct text what = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&what, format, arguments);
    va_end(arguments);
    error_set(error, ERROR_USAGE, "%s", text_string(&what));
    const char *near = candidates && word ? nearest_match(word, candidates) : NULL;
    if (near)
        return error_next(error, "did you mean %s? try %s --help", near, program);
    return error_next(error, "try %s --help", program);
}

bool usage_hint(struct error *error, const char *hint)
{
    AUTO_FREE char *next = mem_string(error->next);
    return error_next(error, "%s%s%s", hint, next ? "; " : "", next ? next : "");
}

void arguments_free(struct arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++) {
        strlist_free(&arguments->items[i].values);
        free(arguments->items[i].origin);
    }
    free(arguments->items);
    strlist_free(&arguments->words);
    *arguments = (struct arguments){0};
}

static struct argument *argument_find(const struct arguments *arguments, const char *name)
{
    for (size_t i = 0; i < arguments->count; i++)
        if (string_equal(arguments->items[i].name, name))
            return &arguments->items[i];
    return NULL;
}

bool arguments_have(const struct arguments *arguments, const char *name)
{
    return argument_find(arguments, name) != NULL;
}

const struct strlist *arguments_all(const struct arguments *arguments, const char *name)
{
    const struct argument *argument = argument_find(arguments, name);
    return argument && argument->values.count > 0 ? &argument->values : NULL;
}

const char *arguments_get(const struct arguments *arguments, const char *name)
{
    const struct strlist *values = arguments_all(arguments, name);
    return values ? values->items[0] : NULL;
}

const char *arguments_origin(const struct arguments *arguments, const char *name)
{
    const struct argument *argument = argument_find(arguments, name);
    return argument ? argument->origin : NULL;
}

/* GPUENV_NO_COLOR of no-color. */
static char *option_twin(const struct option *option)
{
    char *twin = mem_printf("GPUENV_%s", option->name);
    for (char *c = twin; *c; c++)
        *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
    return twin;
}

static const char *option_target(const struct option *option)
{
    return option->sets ? option->sets : option->name;
}

/* Adds the parts of value between commas, without the white space around them. */
static void add_parts(struct strlist *values, const char *value)
{
    AUTO_STRLIST struct strlist parts = {0};
    strlist_split(&parts, value, ',');
    for (size_t i = 0; i < parts.count; i++) {
        const char *part = string_trim(parts.items[i]);
        if (part[0])
            strlist_add(values, part);
    }
}

static void arguments_set(struct arguments *arguments, const struct option *option,
                          const char *value, const char *origin)
{
    const char *name = option_target(option);
    struct argument *argument = argument_find(arguments, name);
    if (argument == NULL) {
        argument = vec_push(arguments->items, arguments->count, arguments->capacity);
        argument->name = name;
    }
    free(argument->origin);
    argument->origin = mem_string(origin);
    if (option->repeatable && option->whole && string_starts(origin, "--")) {
        strlist_add(&argument->values, value);
        return;
    }
    if (option->repeatable) {
        add_parts(&argument->values, value);
        return;
    }
    strlist_free(&argument->values);
    if (option->sets_to)
        strlist_add(&argument->values, option->sets_to);
    else if (value)
        strlist_add(&argument->values, value);
}

/* True when value holds nothing: not even one part between commas. */
static bool value_is_empty(const struct option *option, const char *value)
{
    return value[strspn(value, option->repeatable ? " ,\t" : "")] == '\0';
}

/* value NULL: a switch. */
static bool parser_set(struct parser *parser, const struct option *option, const char *value)
{
    AUTO_FREE char *origin = mem_printf("--%s", option->name);
    if (value && value_is_empty(option, value))
        return usage_error(parser->error, parser->program, NULL, NULL, "%s needs a value, %s",
                           origin, option->argument);
    if (option->once && arguments_have(&parser->arguments, option_target(option)))
        return usage_error(parser->error, parser->program, NULL, NULL,
                           "%s is given twice; give only one %s", origin, option->argument);
    arguments_set(&parser->arguments, option, value, origin);
    return true;
}

/* The value that follows an option: the next word, whatever it looks like. */
static bool parser_take_value(struct parser *parser, const struct option *option)
{
    const char *value = parser->at < parser->count ? parser->argv[parser->at++] : "";
    return parser_set(parser, option, value);
}

static bool parser_unknown(struct parser *parser, const char *word)
{
    AUTO_STRLIST struct strlist names = {0};
    for (size_t i = 0; parser->table[i]; i++)
        strlist_take(&names, mem_printf("--%s", parser->table[i]->name));
    return usage_error(parser->error, parser->program, word, &names, "unknown option %s", word);
}

static bool parser_long(struct parser *parser, const char *word)
{
    const char *equals = strchr(word, '=');
    AUTO_FREE char *name =
        mem_string_n(word + 2, equals ? (size_t)(equals - word - 2) : strlen(word + 2));
    for (size_t i = 0; parser->table[i]; i++) {
        const struct option *option = parser->table[i];
        if (!string_equal(option->name, name))
            continue;
        if (equals == NULL)
            return option->argument ? parser_take_value(parser, option)
                                    : parser_set(parser, option, NULL);
        if (option->argument == NULL)
            return usage_error(parser->error, parser->program, NULL, NULL, "--%s takes no value",
                               name);
        return parser_set(parser, option, equals + 1);
    }
    AUTO_FREE char *given = mem_printf("--%s", name);
    return parser_unknown(parser, given);
}

/* -q, -qv, -o FILE, -oFILE */
static bool parser_short(struct parser *parser, const char *word)
{
    for (const char *letter = word + 1; *letter; letter++) {
        size_t i = 0;
        while (parser->table[i] && parser->table[i]->letter != *letter)
            i++;
        const struct option *option = parser->table[i];
        if (option == NULL)
            return parser_unknown(parser, word);
        if (option->argument)
            return letter[1] ? parser_set(parser, option, letter + 1)
                             : parser_take_value(parser, option);
        if (!parser_set(parser, option, NULL))
            return false;
    }
    return true;
}

static bool parser_words(struct parser *parser)
{
    while (parser->at < parser->count) {
        const char *word = parser->argv[parser->at++];
        bool is_command = word[0] != '-' && parser->begins_command && parser->begins_command(word);
        if (is_command || string_equal(word, "--")) {
            parser->at -= is_command;
            parser->arguments.have_end = true;
            parser->arguments.end = parser->arguments.words.count;
            break;
        }
        bool ok = true;
        if (string_starts(word, "--"))
            ok = parser_long(parser, word);
        else if (word[0] == '-' && word[1])
            ok = parser_short(parser, word);
        else
            strlist_add(&parser->arguments.words, word);
        if (!ok)
            return false;
    }
    while (parser->at < parser->count)
        strlist_add(&parser->arguments.words, parser->argv[parser->at++]);
    return true;
}

static bool word_among(const char *word, const char *const words[])
{
    for (size_t i = 0; words[i]; i++)
        if (strcasecmp(word, words[i]) == 0)
            return true;
    return false;
}

static bool parser_twin(struct parser *parser, const struct option *option, const char *value,
                        const char *twin)
{
    static const char *const yes[] = {"1", "yes", "true", "on", NULL};
    static const char *const no[] = {"0", "no", "false", "off", NULL};
    if (option->argument == NULL && word_among(value, no))
        return true;
    if (option->argument == NULL && !word_among(value, yes))
        return usage_error(parser->error, parser->program, NULL, NULL,
                           "%s is \"%s\", which is neither 1 nor 0", twin, value);
    if (option->argument && value_is_empty(option, value))
        return usage_error(parser->error, parser->program, NULL, NULL, "%s needs a value, %s", twin,
                           option->argument);
    arguments_set(&parser->arguments, option, option->argument ? value : NULL, twin);
    return true;
}

static bool parser_twins(struct parser *parser, const struct option_environment *environment)
{
    for (size_t i = 0; parser->table[i]; i++) {
        const struct option *option = parser->table[i];
        AUTO_FREE char *twin = option_twin(option);
        const char *value = option->no_twin ? NULL : environment->get(environment->context, twin);
        if (value == NULL || value[0] == '\0' ||
            arguments_have(&parser->arguments, option_target(option)))
            continue;
        if (!parser_twin(parser, option, value, twin))
            return false;
    }
    return true;
}

bool options_parse(const struct option *const table[], const char *program, int count,
                   char *const argv[], command_begins *begins_command,
                   const struct option_environment *environment, struct arguments *ret_arguments,
                   struct error *error)
{
    struct parser parser = {.table = table,
                            .program = program,
                            .count = count,
                            .argv = argv,
                            .begins_command = begins_command,
                            .error = error};
    bool ok = parser_words(&parser);
    /* Whoever asks for help may have set a variable wrongly. */
    if (ok && !arguments_have(&parser.arguments, "help"))
        ok = parser_twins(&parser, environment);
    if (!ok) {
        arguments_free(&parser.arguments);
        return false;
    }
    *ret_arguments = parser.arguments;
    return true;
}
