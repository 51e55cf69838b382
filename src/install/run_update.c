/* SPDX-License-Identifier: MIT */
#include "install/run_update.h"

#include <stdio.h>
#include <unistd.h>

#include "base/wrap.h"
#include "host/local/terminal.h"
#include "host/root/clock.h"
#include "install/print/envelope.h"
#include "install/update/embedded.h"
#include "install/update/update.h"
#include "manifest/manifest.h"

static const char *const outcome_words[] = {[UPDATE_NEW] = "new",
                                            [UPDATE_RENEWED] = "renewed",
                                            [UPDATE_SAME] = "same",
                                            [UPDATE_OLDER] = "older"};

static char *sentence(const struct run *run, const struct update_result *result)
{
    const struct update_statement *statement = &result->statement;
    AUTO_FREE char *until = update_moment_text(statement->expires);
    const char *would = run->request->dry_run ? "would be " : "";
    switch (result->outcome) {
    case UPDATE_NEW:
        return mem_printf("%supdated to manifest %u of %s; valid until %.10s", would,
                          statement->manifest_version, statement->manifest_date, until);
    case UPDATE_RENEWED:
        return mem_printf("manifest %u of %s is still the newest; it %s valid until %.10s",
                          statement->manifest_version, statement->manifest_date,
                          run->request->dry_run ? "would be" : "is now", until);
    case UPDATE_SAME:
        return mem_printf("nothing to do: manifest %u of %s is the newest; valid until %.10s",
                          statement->manifest_version, statement->manifest_date, until);
    case UPDATE_OLDER:
        break;
    }
    return mem_printf("nothing to do: the built-in manifest %s is as new as manifest %u of the "
                      "source, or newer",
                      manifest_version(run->manifest), statement->manifest_version);
}

static void print_text(const struct run *run, const struct update_result *result,
                       struct text *output)
{
    unsigned columns = terminal_width(STDOUT_FILENO);
    AUTO_FREE char *words = sentence(run, result);
    wrap_paragraph(output, columns, 0, words);
    if (result->changed && !run->request->quiet) {
        struct wrap wrap;
        wrap_begin(&wrap, output, columns, 0, 0);
        wrap_words(&wrap, run->request->dry_run ? "it would be kept in" : "it is kept in");
        wrap_unsplit(&wrap, run->request->update_path);
        wrap_end(&wrap);
    }
}

static void print_json(const struct run *run, const struct update_result *result,
                       struct text *output)
{
    const struct update_statement *statement = &result->statement;
    AUTO_FREE char *expires = update_moment_text(statement->expires);
    AUTO_JSON json_t *json = print_envelope(run);
    json_t *update = json_object();
    json_object_set_new(update, "from", json_from_string(run->request->update_from));
    json_object_set_new(update, "outcome", json_string(outcome_words[result->outcome]));
    json_object_set_new(update, "version", json_sprintf("%u", statement->manifest_version));
    json_object_set_new(update, "date", json_from_string(statement->manifest_date));
    json_object_set_new(update, "expires", json_from_string(expires));
    json_object_set_new(update, "statement", json_integer(statement->version));
    json_object_set_new(update, "root", json_integer(result->root_version));
    json_object_set_new(update, "file", json_from_string(run->request->update_path));
    json_object_set_new(json, "update", update);
    json_object_set_new(json, "changed", json_boolean(result->changed));
    json_append_text(json, output);
}

static void print_note(const struct run *run, const char *note)
{
    AUTO_TEXT struct text text = {0};
    if (note == NULL || run->request->quiet)
        return;
    text_append(&text, "gpuenv manifest: note: ");
    text_append(&text, note);
    fprintf(stderr, "%s\n", text_string(&text));
}

static struct update_request request_of(const struct run *run)
{
    const struct request *request = run->request;
    unsigned long long built_in = 0;
    string_to_decimal(manifest_version(run->manifest), UINT32_MAX, &built_in);
    return (struct update_request){
        .from = request->update_from,
        .directory = request->update_directory,
        .path = request->update_path,
        .cacert = request->cacert,
        .timeout_s = request->timeout_s,
        .lock_timeout_s = request->lock_timeout_s,
        .only_look = request->dry_run,
        .now = clock_seconds(), /* and not SOURCE_DATE_EPOCH: what has expired has expired */
        .roots = update_embedded_roots,
        .roots_size =
            (size_t)((uintptr_t)update_embedded_roots_end - (uintptr_t)update_embedded_roots),
        .built_in = (unsigned)built_in};
}

bool run_update(struct run *run, struct text *output, struct error *error)
{
    AUTO_UPDATE struct update_result result = {.changed = false};
    run->manifest = manifest_new();
    if (manifest_version(run->manifest) == NULL)
        return error_set(error, ERROR_INTERNAL, "the built-in manifest is damaged");
    const struct update_request request = request_of(run);
    bool ok = update_run(&request, &result, error);
    print_note(run, result.note);
    if (!ok)
        return false;
    if (print_is_json(run))
        print_json(run, &result, output);
    else
        print_text(run, &result, output);
    return true;
}
