/* SPDX-License-Identifier: MIT */
#include "base/wrap.h"
#include "cli/engine/command.h"
#include "cli/installer/installer.h"
#include "cli/manifest/manifest_show.h"
#include "cli/manifest/manifest_update.h"
#include "host/local/local.h"
#include "manifest/manifest.h"
#include "manifest/reader/problems.h"

static const struct option *const options[] = {
    &option_manifest, &option_update_dry_run, &option_cacert, &option_stall,
    &option_quiet,    &option_lock_timeout,   &option_format, &option_json,
    &option_output,   &option_help,           NULL,
};

static bool is_json(const struct arguments *arguments)
{
    return string_equal(session_format(arguments), "json");
}

/* "manifest 1 of 2026-11-20". */
static void wrap_title(struct wrap *wrap, struct manifest *manifest, const char *after)
{
    wrap_printf(wrap, "manifest %s of %s%s", manifest_version(manifest), manifest_date(manifest),
                after);
}

static bool show(struct session *session, const struct arguments *arguments, const char *word,
                 struct text *output, struct error *error)
{
    AUTO_STRLIST struct strlist near = {0};
    struct manifest_choice choice;
    struct report_input input;
    if (!session_load_manifest(session, arguments, error))
        return false;
    bool known = manifest_choose(session->manifest, word, &choice, &near);
    if (!session_manifest_sound(session, error))
        return false;
    if (!known) {
        usage_error(error, session->program, word, &near, "no subject, table or row is called %s",
                    word);
        return usage_hint(error, "gpuenv manifest lists all tables");
    }
    session_input(session, arguments, &input);
    if (is_json(arguments)) {
        AUTO_JSON json_t *envelope = report_envelope(&input);
        json_object_set_new(envelope, "tables", manifest_show_json(session->manifest, &choice));
        json_append_text(envelope, output);
    } else {
        const char *path = session->manifest_path;
        struct wrap wrap;
        wrap_begin(&wrap, output, input.columns, 0, 0);
        wrap_title(&wrap, session->manifest, ",");
        if (session->origin == ORIGIN_UPDATED)
            wrap_words(&wrap, "updated:");
        wrap_unsplit(&wrap, path != NULL ? path : "built in");
        wrap_end(&wrap);
        manifest_show_text(session->manifest, &choice, input.columns, output);
    }
    return session_manifest_sound(session, error);
}

static json_t *problems_json(const struct manifest_problems *problems)
{
    json_t *list = json_array();
    for (size_t i = 0; i < problems->count; i++) {
        const struct manifest_problem *problem = &problems->items[i];
        const struct error *error = &problem->error;
        json_t *object = json_object();
        json_object_set_new(object, "line",
                            problem->line > 0 ? json_integer((json_int_t)problem->line)
                                              : json_null());
        json_object_set_new(object, "key", json_from_string(problem->key));
        json_object_set_new(object, "problem",
                            json_from_string(error->why != NULL ? error->why : error->what));
        json_object_set_new(object, "next", json_from_string(error->next));
        json_array_append_new(list, object);
    }
    return list;
}

/* What was found out about a document. manifest is NULL when it is not sound. */
static void append_check_json(const struct report_input *input, struct manifest *manifest,
                              const char *path, const struct manifest_problems *problems,
                              struct text *output)
{
    const struct manifest_choice all = {.subject = NULL};
    AUTO_JSON json_t *envelope = report_envelope(input);
    json_t *checked = json_object();
    json_object_set_new(checked, "file", json_from_string(path));
    json_object_set_new(checked, "version",
                        manifest != NULL ? json_from_string(manifest_version(manifest))
                                         : json_null());
    json_object_set_new(checked, "date",
                        manifest != NULL ? json_from_string(manifest_date(manifest)) : json_null());
    json_object_set_new(envelope, "checked", checked);
    json_object_set_new(envelope, "sound", json_boolean(manifest != NULL));
    json_object_set_new(envelope, "tables",
                        manifest != NULL ? manifest_show_json(manifest, &all) : json_array());
    json_object_set_new(envelope, "problems", problems_json(problems));
    json_object_set_new(envelope, "complete",
                        json_boolean(!problems->partial && problems->count < problems->max));
    json_append_text(envelope, output);
}

/* What the problems say that can be done, each once. */
static void append_next(const char *path, const struct manifest_problems *problems,
                        struct text *output)
{
    AUTO_STRLIST struct strlist said = {0};
    for (size_t i = 0; i < problems->count; i++) {
        const char *next = problems->items[i].error.next;
        if (next != NULL && strlist_add_new(&said, next))
            wrap_paragraph(output, 80, 0, next);
    }
    if (problems->partial)
        wrap_paragraph(output, 80, 0,
                       "rows that depend on invalid rows were not compared with those rows");
    struct wrap wrap;
    wrap_begin(&wrap, output, 80, 0, 0);
    wrap_printf(&wrap, "correct %s and run: gpuenv manifest check",
                problems->count == 1 ? "it" : "these");
    wrap_unsplit(&wrap, path);
    wrap_end(&wrap);
}

static void append_problems(const char *path, const struct manifest_problems *problems,
                            struct text *output)
{
    for (size_t i = 0; i < problems->count; i++) {
        const struct error *error = &problems->items[i].error;
        text_append_safe(output, error->where);
        text_append(output, ": ");
        text_append_safe(output, error->why != NULL ? error->why : error->what);
        text_append_char(output, '\n');
    }
    text_printf(output, "\n%zu problem%s%s\n", problems->count, problems->count == 1 ? "" : "s",
                problems->count == problems->max ? ", and perhaps more that were not checked" : "");
    append_next(path, problems, output);
}

static void append_sound(struct manifest *manifest, const char *path, struct text *output)
{
    const struct manifest_choice all = {.subject = NULL};
    AUTO_TEXT struct text place = {0};
    struct wrap wrap;
    text_printf(&place, "%s:", path);
    wrap_begin(&wrap, output, 80, 0, 0);
    wrap_unsplit(&wrap, text_string(&place));
    wrap_words(&wrap, "sound,");
    wrap_title(&wrap, manifest, "");
    wrap_end(&wrap);
    manifest_show_text(manifest, &all, 80, output);
}

static bool check(const struct session *session, const struct arguments *arguments,
                  const char *path, struct text *output, int *ret_exit_code, struct error *error)
{
    AUTO_TEXT struct text document = {0};
    AUTO_PROBLEMS struct manifest_problems problems = {.max = MANIFEST_PROBLEMS_MAX};
    struct report_input input;
    if (!local_read(path, MANIFEST_MAX, &document, error)) {
        if (error->next == NULL)
            error_next(error,
                       "give a joined manifest, like the one that a build of gpuenv creates");
        return error_prefix(error, "cannot check the manifest");
    }
    struct manifest *manifest =
        manifest_examine(text_string(&document), document.size, path, &problems);
    session_input(session, arguments, &input);
    if (is_json(arguments))
        append_check_json(&input, manifest, path, &problems, output);
    else if (manifest != NULL)
        append_sound(manifest, path, output);
    else
        append_problems(path, &problems, output);
    *ret_exit_code = manifest != NULL ? EXIT_DONE : EXIT_FOUND;
    manifest_free(manifest);
    return true;
}

/* check FILE, or the one that --manifest names. */
static bool run_check(const struct session *session, const struct arguments *arguments,
                      struct text *output, int *ret_exit_code, struct error *error)
{
    const struct strlist *words = &arguments->words;
    const char *path = words->count > 1 ? words->items[1] : arguments_get(arguments, "manifest");
    if (path == NULL || words->count > 2)
        return usage_error(error, session->program, NULL, NULL, "check takes one FILE, got %zu",
                           words->count - 1);
    return check(session, arguments, path, output, ret_exit_code, error);
}

static bool run_show(struct session *session, const struct arguments *arguments,
                     struct text *output, struct error *error)
{
    const struct strlist *words = &arguments->words;
    if (words->count > 2)
        return usage_error(error, session->program, NULL, NULL, "show takes one SUBJECT, got %zu",
                           words->count - 1);
    return show(session, arguments, words->count > 1 ? words->items[1] : NULL, output, error);
}

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    const char *word = arguments->words.count > 0 ? arguments->words.items[0] : "show";
    AUTO_TEXT struct text text = {0};
    *ret_exit_code = EXIT_DONE;
    if (!session_check_format(session, arguments, error))
        return false;
    if (string_equal(word, "update"))
        return manifest_update(session, arguments, error);
    if (string_equal(word, "check")) {
        if (!run_check(session, arguments, &text, ret_exit_code, error))
            return false;
    } else if (string_equal(word, "show")) {
        if (!run_show(session, arguments, &text, error))
            return false;
    } else {
        AUTO_STRLIST struct strlist words = {0};
        strlist_add(&words, "show");
        strlist_add(&words, "check");
        strlist_add(&words, "update");
        return usage_error(error, session->program, word, &words,
                           "takes show, check or update, got %s", word);
    }
    return session_write(arguments, &text, error);
}

const struct command command_manifest = {
    .name = "manifest",
    .summary = "print, check or update the compatibility manifest",
    .usage = "gpuenv manifest [OPTION...] [show [WHAT] | check FILE | update [FROM]]",
    .details =
        "\"show\" prints the version and date of the manifest and how many rows each table "
        "has. As WHAT, give a SUBJECT, such as cuda, to print its rows, or the name of a "
        "ROW, such as cuda/12.8.1, to print that whole row. --json also includes what does "
        "not fit "
        "into a table. \"check\" reads a joined manifest and prints every problem in it, "
        "each with its line number; \"check\" exits with 1 if there is a problem. "
        "\"update\" gets a newer manifest from FROM, a URL, a directory or a file. It takes "
        "only a manifest that the keys of this build have signed and that has not expired, "
        "and never goes back to an older one. gpuenv uses the newest of the built-in and the "
        "updated manifest.",
    .examples = "gpuenv manifest\n"
                "gpuenv manifest show cuda\n"
                "gpuenv manifest update https://example.org/gpuenv",
    .options = options,
    .run = run,
};
