/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/shell.h"
#include "base/wrap.h"
#include "cli/engine/command.h"
#include "cli/integrate/integrations.h"
#include "host/local/local.h"

static const struct option option_out = {
    .name = "out",
    .argument = "DIR",
    .help = "write the files there; the directory gpuenv-NAME by default"};

static const struct option *const options[] = {
    &option_out,     &option_format,   &option_json, &option_output, &option_quiet,
    &option_verbose, &option_no_color, &option_help, NULL,
};

#define FILE_MOST (1u << 20)

/* What is written of one integration. */
struct integration {
    const char *name;
    char *directory;      /* of --out */
    char *summary;        /* the first line of ABOUT */
    char *steps;          /* the others */
    struct strlist paths; /* with the directory */
    struct strlist texts;
};
#define AUTO_INTEGRATION AUTO(integration_free)

static void integration_free(struct integration *integration)
{
    free(integration->directory);
    free(integration->summary);
    free(integration->steps);
    strlist_free(&integration->paths);
    strlist_free(&integration->texts);
}

/* The program that the files call: this one, unless its path would need quotes somewhere. */
static char *program_path(void)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._+-";
    AUTO_FREE char *path = local_program();
    if (path == NULL || path[strspn(path, plain)] != '\0')
        return mem_string("/usr/bin/gpuenv");
    return mem_steal(&path);
}

static char *text_of(const struct integration_file *file)
{
    return mem_string_n(file->text, (size_t)(file->end - file->text));
}

static char *fill(const struct integration_file *file, const char *program, const char *directory)
{
    AUTO_FREE char *text = text_of(file);
    AUTO_FREE char *with_program = string_fill_all(text, "@GPUENV@", program);
    return string_fill_all(with_program, "@DIR@", directory);
}

static char *summary_of(const char *about)
{
    return mem_string_n(about, strcspn(about, "\n"));
}

static void take_about(struct integration *integration, const char *about)
{
    integration->summary = summary_of(about);
    const char *rest = about + strlen(integration->summary);
    integration->steps = mem_string(rest + strspn(rest, "\n"));
}

static bool integration_take(const char *name, const char *out, struct integration *integration)
{
    AUTO_FREE char *program = program_path();
    integration->name = name;
    integration->directory = out ? mem_string(out) : mem_printf("gpuenv-%s", name);
    AUTO_FREE char *shown = shell_quote(integration->directory);
    for (const struct integration_file *file = integration_files; file->name; file++) {
        if (!string_equal(file->name, name))
            continue;
        AUTO_FREE char *text = fill(file, program, shown);
        if (string_equal(file->path, INTEGRATION_ABOUT)) {
            take_about(integration, text);
            continue;
        }
        strlist_take(&integration->paths, mem_printf("%s/%s", integration->directory, file->path));
        strlist_add(&integration->texts, text);
    }
    return integration->paths.count > 0;
}

static void names_of(struct strlist *names)
{
    for (const struct integration_file *file = integration_files; file->name; file++)
        strlist_add_new(names, file->name);
}

/* Whether the file is there as it is to be; false, and an error, where it is another one. */
static bool is_there(const char *path, const char *text, bool *ret_there, struct error *error)
{
    AUTO_TEXT struct text found = {0};
    *ret_there = !local_is_missing(path);
    if (!*ret_there)
        return true;
    if (!local_read(path, FILE_MOST, &found, error))
        return error_prefix(error, "nothing was written");
    if (string_equal(text_string(&found), text))
        return true;
    error_set(error, ERROR_CANNOT_WRITE,
              "nothing was written: the file exists and has other content");
    error_where(error, "%s", path);
    return error_next(error, "choose a new directory with --out DIR, and compare the two");
}

static bool write_files(const struct integration *integration, bool *ret_changed,
                        struct error *error)
{
    const struct strlist *paths = &integration->paths, *texts = &integration->texts;
    AUTO_FREE bool *there = mem_resize(NULL, paths->count, sizeof(*there));
    *ret_changed = false;
    for (size_t i = 0; i < paths->count; i++)
        if (!is_there(paths->items[i], texts->items[i], &there[i], error))
            return false;
    for (size_t i = 0; i < paths->count; i++) {
        const char *text = texts->items[i];
        if (there[i])
            continue;
        if (!local_write_new(paths->items[i], text, strlen(text), string_starts(text, "#!"), error))
            return false;
        *ret_changed = true;
    }
    return true;
}

static void append_text(const struct integration *integration, bool changed, struct text *output)
{
    text_printf(output, "%s: %s\n\n%s:\n", integration->name, integration->summary,
                changed ? "written" : "already there");
    for (size_t i = 0; i < integration->paths.count; i++) {
        text_append(output, "  ");
        text_append_safe(output, integration->paths.items[i]);
        text_append_char(output, '\n');
    }
    text_append(output, "\nNothing is installed. What to do:\n\n");
    text_append(output, integration->steps);
}

static void append_json(const struct report_input *input, const struct integration *integration,
                        bool changed, struct text *output)
{
    AUTO_JSON json_t *envelope = report_envelope(input);
    json_set_string(envelope, "name", integration->name);
    json_set_string(envelope, "summary", integration->summary);
    json_set_string(envelope, "directory", integration->directory);
    json_set_list(envelope, "files", &integration->paths);
    json_set_string(envelope, "steps", integration->steps);
    json_object_set_new(envelope, "changed", json_boolean(changed));
    json_append_text(envelope, output);
}

static void append_name(const char *name, const char *summary, unsigned columns,
                        struct text *output)
{
    struct wrap wrap;
    size_t start = output->size;
    text_printf(output, "%-14s ", name);
    wrap_begin(&wrap, output, columns, (unsigned)(output->size - start), 15);
    wrap_words(&wrap, summary);
    wrap_end(&wrap);
}

/* Without a NAME: which there are. */
static void append_names(const struct report_input *input, bool is_json, struct text *output)
{
    AUTO_JSON json_t *envelope = report_envelope(input);
    json_t *list = json_array();
    for (const struct integration_file *file = integration_files; file->name; file++) {
        if (!string_equal(file->path, INTEGRATION_ABOUT))
            continue;
        AUTO_FREE char *about = text_of(file);
        AUTO_FREE char *summary = summary_of(about);
        json_t *object = json_object();
        json_set_string(object, "name", file->name);
        json_set_string(object, "summary", summary);
        json_array_append_new(list, object);
        if (!is_json)
            append_name(file->name, summary, input->columns, output);
    }
    json_object_set_new(envelope, "integrations", list);
    if (is_json)
        json_append_text(envelope, output);
}

static bool run_name(const char *name, const struct session *session,
                     const struct arguments *arguments, bool is_json, struct text *text,
                     struct error *error)
{
    AUTO_INTEGRATION struct integration integration = {.name = NULL};
    AUTO_STRLIST struct strlist names = {0};
    struct report_input input;
    bool changed;
    session_input(session, arguments, &input);
    names_of(&names);
    if (!integration_take(name, arguments_get(arguments, "out"), &integration))
        return usage_error(error, session->program, name, &names,
                           "unknown integration \"%s\"; gpuenv integrate lists all", name);
    if (!session_can_write(arguments, error) || !write_files(&integration, &changed, error))
        return false;
    if (is_json)
        append_json(&input, &integration, changed, text);
    else
        append_text(&integration, changed, text);
    return true;
}

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    AUTO_TEXT struct text text = {0};
    bool is_json = string_equal(session_format(arguments), "json");
    struct report_input input;
    if (!session_check_format(session, arguments, error))
        return false;
    if (arguments->words.count > 1)
        return usage_error(error, session->program, NULL, NULL, "takes one NAME, got \"%s\" too",
                           arguments->words.items[1]);
    session_input(session, arguments, &input);
    if (arguments->words.count == 0)
        append_names(&input, is_json, &text);
    else if (!run_name(arguments->words.items[0], session, arguments, is_json, &text, error))
        return false;
    *ret_exit_code = EXIT_DONE;
    return session_write(arguments, &text, error);
}

const struct command command_integrate = {
    .name = "integrate",
    .summary = "write files for Slurm, Prometheus and others",
    .usage = "gpuenv integrate [OPTION...] [NAME]",
    .details = "Writes the files that connect gpuenv to another program, such as Slurm or "
               "Prometheus, into "
               "a directory of their own, and prints what to do with them. Installs nothing. "
               "Without a NAME, lists the integrations.",
    .examples = "gpuenv integrate\n"
                "gpuenv integrate slurm\n"
                "gpuenv integrate prometheus --out /tmp/rules",
    .options = options,
    .run = run,
};
