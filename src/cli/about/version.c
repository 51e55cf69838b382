/* SPDX-License-Identifier: MIT */
#include "base/build.h"
#include "cli/about/helper_build.h"
#include "cli/engine/command.h"
#include "host/elf/elf.h"
#include "host/local/local.h"
#include "host/packed/packed.h"
#include "manifest/manifest.h"

static const struct option *const options[] = {
    &option_manifest, &option_format, &option_json, &option_output, &option_help, NULL,
};

void version_append(const struct session *session, struct text *output)
{
    text_append(output, "gpuenv " GPUENV_VERSION "\nmanifest ");
    text_append_safe(output, manifest_version(session->manifest));
    text_append(output, " of ");
    text_append_safe(output, manifest_date(session->manifest));
    text_printf(output, " (%s)\n", report_origin_text(session->origin));
}

/* The libraries that are linked into this program. */
static json_t *linked_libraries(void)
{
    json_t *libraries = json_object();
    json_set_string(libraries, "jansson", jansson_version_str());
    for (enum packing packing = PACKING_GZIP; packing <= PACKING_ZSTD; packing++)
        if (packing_library(packing))
            json_set_string(libraries, packing_library(packing), packing_version(packing));
    return libraries;
}

/* The oldest glibc that the loader starts this program with, as its own file says. NULL: cannot be
 * read. */
static char *glibc_needed(const struct host *live)
{
    AUTO_ERROR struct error error = {0};
    AUTO_ELF struct elf_info info = {.bits = 0};
    AUTO_FREE char *path = local_program();
    if (path == NULL || elf_read(live, path, &info, &error) != HOST_OK)
        return NULL;
    return mem_steal(&info.glibc_needed);
}

static json_t *build_json(const struct host *live)
{
    AUTO_FREE char *glibc = glibc_needed(live);
    json_t *build = json_object();
    json_object_set_new(build, "commit", json_from_string(build_commit()));
    json_set_string(build, "compiler", build_compiler());
    json_object_set_new(build, "glibc_needed", json_from_string(glibc));
    json_object_set_new(build, "libraries", linked_libraries());
    return build;
}

static json_t *helper_json(const struct helper_build *helper)
{
    if (helper->path == NULL)
        return json_null();
    json_t *object = json_object();
    json_object_set(object, "versions", helper->versions);
    json_object_set_new(object, "commit", json_from_string(helper->commit));
    json_object_set_new(object, "problem", json_from_string(helper->problem));
    return object;
}

static void append_libraries(json_t *versions, struct text *output)
{
    for (void *item = json_object_iter(versions); item;
         item = json_object_iter_next(versions, item))
        text_printf(output, "%s %s\n", json_object_iter_key(item),
                    json_string_value(json_object_iter_value(item)));
}

static void append_build(json_t *build, struct text *output)
{
    const char *commit = json_string_value(json_object_get(build, "commit"));
    const char *glibc = json_string_value(json_object_get(build, "glibc_needed"));
    if (commit)
        text_printf(output, "commit %s\n", commit);
    text_printf(output, "compiler %s\n", build_compiler());
    if (glibc)
        text_printf(output, "needs glibc %s\n", glibc);
    append_libraries(json_object_get(build, "libraries"), output);
}

static void append_helper(const struct helper_build *helper, struct text *output)
{
    if (helper->path == NULL) {
        text_append(output, "gpuenv-install is not installed\n");
        return;
    }
    append_libraries(helper->versions, output);
    if (helper->problem) {
        text_append(output, "gpuenv-install cannot be used: ");
        text_append_safe(output, helper->problem);
        text_append_char(output, '\n');
    }
}

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    if (!session_no_words(session, arguments, error) ||
        !session_check_format(session, arguments, error) ||
        !session_load_manifest(session, arguments, error))
        return false;
    AUTO_HELPER_BUILD struct helper_build helper = helper_build_ask(session->live);
    AUTO_JSON json_t *build = build_json(session->live);
    AUTO_TEXT struct text text = {0};
    if (string_equal(session_format(arguments), "json")) {
        struct report_input input;
        session_input(session, arguments, &input);
        AUTO_JSON json_t *envelope = report_envelope(&input);
        json_object_set(envelope, "build", build);
        json_object_set_new(envelope, "helper", helper_json(&helper));
        json_append_text(envelope, &text);
    } else {
        version_append(session, &text);
        append_build(build, &text);
        append_helper(&helper, &text);
    }
    *ret_exit_code = EXIT_DONE;
    return session_write(arguments, &text, error);
}

const struct command command_version = {
    .name = "version",
    .summary = "the versions of gpuenv, its manifest and the libraries it uses",
    .usage = "gpuenv version [OPTION...]",
    .details =
        "Prints the versions of gpuenv and of the manifest it uses, the commit and compiler of the "
        "build, the oldest glibc it runs on, and the libraries that gpuenv and gpuenv-install use.",
    .examples = "gpuenv version",
    .options = options,
    .run = run,
};
