/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/engine/command.h"
#include "host/child/child.h"
#include "host/local/helper.h"
#include "manifest/manifest.h"

#define HELPER_TIMEOUT_MS 5000

static const struct option *const options[] = {
    &option_manifest, &option_format, &option_json, &option_output, &option_help, NULL,
};

/* The second executable as it answers. */
struct helper {
    bool found;
    char *problem; /* NULL: it runs */
    char *output;  /* lines "name version"; never NULL when found */
};

static void helper_clear(struct helper *helper)
{
    free(helper->problem);
    free(helper->output);
}

static struct helper helper_ask(const struct host *live)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *path = helper_path(live);
    struct helper helper = {0};
    AUTO_CHILD_RESULT struct child_result result = {.exited = false};
    if (path == NULL)
        return helper;
    helper.found = true;
    const char *const argv[] = {path, "--version", NULL};
    if (!child_run(live, argv, HELPER_TIMEOUT_MS, &result, &error)) {
        helper.problem = mem_printf("%s: %s", error.what, error.why ? error.why : "");
        helper.output = mem_string("");
        return helper;
    }
    helper.output = text_steal(&result.output);
    helper.problem = child_result_problem(&result);
    return helper;
}

static void append_helper(const struct helper *helper, struct text *output)
{
    if (!helper->found) {
        text_append(output, "gpuenv-install is not installed\n");
        return;
    }
    char *cursor = helper->output;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        text_append_safe(output, line);
        text_append_char(output, '\n');
    }
    if (helper->problem) {
        text_append(output, "gpuenv-install cannot be used: ");
        text_append_safe(output, helper->problem);
        text_append_char(output, '\n');
    }
}

void version_append(const struct session *session, struct text *output)
{
    text_append(output, "gpuenv " GPUENV_VERSION "\nmanifest ");
    text_append_safe(output, manifest_version(session->manifest));
    text_append(output, " of ");
    text_append_safe(output, manifest_date(session->manifest));
    text_append_char(output, '\n');
}

static json_t *helper_json(const struct helper *helper)
{
    if (!helper->found)
        return json_null();
    json_t *object = json_object();
    json_t *versions = json_object();
    char *cursor = helper->output;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        char *space = strchr(line, ' ');
        if (space == NULL)
            continue;
        *space = '\0';
        AUTO_FREE char *name = string_safe(line);
        json_object_set_new(versions, name, json_from_string(space + 1));
    }
    json_object_set_new(object, "versions", versions);
    json_object_set_new(object, "problem", json_from_string(helper->problem));
    return object;
}

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    if (!session_no_words(session, arguments, error) ||
        !session_check_format(session, arguments, error) ||
        !session_load_manifest(session, arguments, error))
        return false;
    struct helper helper = helper_ask(session->live);
    AUTO_TEXT struct text text = {0};
    if (string_equal(session_format(arguments), "json")) {
        struct report_input input;
        session_input(session, arguments, &input);
        AUTO_JSON json_t *envelope = report_envelope(&input);
        json_object_set_new(envelope, "helper", helper_json(&helper));
        json_append_text(envelope, &text);
    } else {
        version_append(session, &text);
        append_helper(&helper, &text);
    }
    helper_clear(&helper);
    *ret_exit_code = EXIT_DONE;
    return session_write(arguments, &text, error);
}

const struct command command_version = {
    .name = "version",
    .summary = "the versions of gpuenv, its manifest and the libraries it uses",
    .usage = "gpuenv version [OPTION...]",
    .details = "Prints the versions of gpuenv, of the manifest it judges by, and of the libraries "
               "that gpuenv-install runs with.",
    .examples = "gpuenv version",
    .options = options,
    .run = run,
};
