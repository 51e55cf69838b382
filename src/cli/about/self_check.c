/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/build.h"
#include "base/wrap.h"
#include "cli/about/helper_build.h"
#include "cli/engine/command.h"
#include "host/child/kernel_features.h"
#include "host/elf/sealed.h"
#include "host/local/helper.h"
#include "host/local/local.h"

static const struct option *const options[] = {
    &option_format, &option_json, &option_output, &option_help, NULL,
};

/* What is known of the file of one program. */
struct checked {
    const char *name;
    char *path; /* NULL: not found */
    enum sealed sealed;
    char *problem;       /* why it cannot be read or run; NULL: it can */
    const char *version; /* as it says */
    const char *commit;
};

static const struct {
    const char *word; /* in JSON */
    const char *says; /* behind the program's name */
    const char *next; /* NULL: nothing is to be done */
    int exit_code;
} states[] = {
    [SEALED_WHOLE] = {"whole", "the file is intact", NULL, EXIT_DONE},
    [SEALED_DAMAGED] = {"damaged", "the file is damaged: the checksum does not match",
                        "copy or install it again", EXIT_FOUND},
    [SEALED_CUT] = {"cut", "the end of the file is missing", "copy or install it again",
                    EXIT_FOUND},
    [SEALED_NONE] =
        {"no_checksum",
         "cannot tell whether the file is intact: the file was stripped and has no checksum",
         "compare the file with the package it came from", EXIT_UNKNOWN},
    [SEALED_UNKNOWN] = {"unknown", "cannot tell whether the file is intact: this build has no zlib",
                        "compare the file with the package it came from", EXIT_UNKNOWN},
};

static void check_file(const struct host *live, struct checked *checked)
{
    AUTO_ERROR struct error error = {0};
    if (checked->path == NULL)
        return;
    enum host_status status = sealed_check(live, checked->path, &checked->sealed, &error);
    if (status == HOST_OK)
        return;
    free(checked->problem);
    checked->problem = status == HOST_ABSENT
                           ? mem_string("it no longer exists")
                           : mem_printf("%s: %s", error.what, error.why ? error.why : "");
}

/* The worse of two exit codes: found, unknown, done. */
static int worse(int one, int other)
{
    return one == EXIT_FOUND || other == EXIT_FOUND ? EXIT_FOUND : one ? one : other;
}

enum same { SAME_BUILD, SAME_UNKNOWN, OTHER_BUILD };

/* Files that were changed after the commit are not named by it. */
static bool names_sources(const char *commit)
{
    return commit && *commit && commit[strlen(commit) - 1] != '+';
}

static enum same same_build(const struct checked *helper)
{
    const char *own = build_commit();
    if (!string_equal(helper->version, GPUENV_VERSION))
        return helper->version ? OTHER_BUILD : SAME_UNKNOWN;
    if (own && helper->commit && !string_equal(own, helper->commit))
        return OTHER_BUILD;
    return names_sources(own) && names_sources(helper->commit) ? SAME_BUILD : SAME_UNKNOWN;
}

static int exit_code_of_file(const struct checked *checked)
{
    if (checked->problem)
        return EXIT_FOUND;
    return checked->path ? states[checked->sealed].exit_code : EXIT_DONE;
}

static int exit_code_of_same(const struct checked *helper)
{
    static const int codes[] = {
        [SAME_BUILD] = EXIT_DONE, [SAME_UNKNOWN] = EXIT_UNKNOWN, [OTHER_BUILD] = EXIT_FOUND};
    return helper->path && helper->problem == NULL ? codes[same_build(helper)] : EXIT_DONE;
}

static void append_line(struct text *output, int exit_code, const char *name, const char *says,
                        const char *next)
{
    static const char *const marks[] = {
        [EXIT_DONE] = "ok   ", [EXIT_FOUND] = "FAIL ", [EXIT_UNKNOWN] = "?    "};
    struct wrap wrap;
    text_append(output, marks[exit_code]);
    wrap_begin(&wrap, output, 80, 5, 5);
    wrap_printf(&wrap, "%s: %s", name, says);
    wrap_end(&wrap);
    if (next == NULL)
        return;
    text_append(output, "     ");
    wrap_begin(&wrap, output, 80, 5, 5);
    wrap_printf(&wrap, "next: %s", next);
    wrap_end(&wrap);
}

static void append_file(const struct checked *checked, struct text *output)
{
    if (checked->path == NULL) {
        AUTO_FREE char *says =
            mem_printf("not found%s", string_equal(checked->name, HELPER_NAME)
                                          ? "; only install and similar commands need this file"
                                          : "; is /proc mounted?");
        append_line(output, string_equal(checked->name, HELPER_NAME) ? EXIT_DONE : EXIT_UNKNOWN,
                    checked->name, says, NULL);
        return;
    }
    AUTO_FREE char *says =
        mem_printf("%s [%s]", checked->problem ? checked->problem : states[checked->sealed].says,
                   checked->path);
    append_line(output, exit_code_of_file(checked), checked->name, says,
                checked->problem ? "copy or install it again" : states[checked->sealed].next);
}

static void append_same(const struct checked *helper, struct text *output)
{
    static const char *const says[] = {
        [SAME_BUILD] = "from the same build as gpuenv",
        [SAME_UNKNOWN] = "the same version as gpuenv, but perhaps from a different build",
        [OTHER_BUILD] = "from a different build than gpuenv"};
    if (helper->path == NULL || helper->problem)
        return;
    enum same same = same_build(helper);
    append_line(output, exit_code_of_same(helper), helper->name, says[same],
                same == OTHER_BUILD
                    ? "install gpuenv and gpuenv-install from the same package or release"
                    : NULL);
}

static void append_kernel(const struct host *live, struct text *output)
{
    struct host_kernel kernel;
    AUTO_FREE char *name =
        mem_printf("kernel %s", host_kernel(live, &kernel) ? kernel.release : "(unknown)");
    size_t lacking = 0;
    for (size_t i = 0; i < kernel_feature_count; i++) {
        const struct kernel_feature *feature = &kernel_features[i];
        if (feature->is_there())
            continue;
        AUTO_FREE char *says =
            mem_printf("no %s (Linux %s): %s", feature->name, feature->since, feature->without);
        append_line(output, EXIT_DONE, name, says, NULL);
        lacking++;
    }
    if (lacking == 0)
        append_line(output, EXIT_DONE, name, "has everything that gpuenv uses", NULL);
}

static json_t *file_json(const struct checked *checked)
{
    json_t *object = json_object();
    json_set_string(object, "name", checked->name);
    json_object_set_new(object, "path", json_from_string(checked->path));
    json_set_string(object, "state",
                    checked->path == NULL ? "absent"
                    : checked->problem    ? "unreadable"
                                          : states[checked->sealed].word);
    json_object_set_new(object, "problem", json_from_string(checked->problem));
    return object;
}

static json_t *kernel_json(void)
{
    json_t *lacks = json_array();
    for (size_t i = 0; i < kernel_feature_count; i++) {
        const struct kernel_feature *feature = &kernel_features[i];
        if (feature->is_there())
            continue;
        json_t *object = json_object();
        json_set_string(object, "name", feature->name);
        json_set_string(object, "since", feature->since);
        json_set_string(object, "without", feature->without);
        json_array_append_new(lacks, object);
    }
    return lacks;
}

static void append_json(const struct session *session, const struct arguments *arguments,
                        const struct checked *own, const struct checked *helper,
                        struct text *output)
{
    struct report_input input;
    session_input(session, arguments, &input);
    AUTO_JSON json_t *envelope = report_envelope(&input);
    json_t *programs = json_array();
    json_array_append_new(programs, file_json(own));
    json_array_append_new(programs, file_json(helper));
    json_object_set_new(envelope, "programs", programs);
    bool known = helper->path && helper->problem == NULL && same_build(helper) != SAME_UNKNOWN;
    json_object_set_new(envelope, "same_build",
                        known ? json_boolean(same_build(helper) == SAME_BUILD) : json_null());
    json_object_set_new(envelope, "kernel_lacks", kernel_json());
    json_append_text(envelope, output);
}

static int judge(const struct checked *own, const struct checked *helper)
{
    int code = worse(exit_code_of_file(own), exit_code_of_file(helper));
    return worse(worse(code, exit_code_of_same(helper)), own->path ? EXIT_DONE : EXIT_UNKNOWN);
}

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    if (!session_no_words(session, arguments, error) ||
        !session_check_format(session, arguments, error) ||
        !session_load_manifest(session, arguments, error))
        return false;
    AUTO_HELPER_BUILD struct helper_build build = helper_build_ask(session->live);
    struct checked own = {.name = "gpuenv", .path = local_program()};
    struct checked helper = {.name = HELPER_NAME, .version = build.version, .commit = build.commit};
    helper.path = mem_steal(&build.path);
    helper.problem = mem_steal(&build.problem);
    check_file(session->live, &own);
    check_file(session->live, &helper);
    AUTO_TEXT struct text text = {0};
    if (string_equal(session_format(arguments), "json")) {
        append_json(session, arguments, &own, &helper, &text);
    } else {
        append_file(&own, &text);
        append_file(&helper, &text);
        append_same(&helper, &text);
        append_kernel(session->live, &text);
    }
    *ret_exit_code = judge(&own, &helper);
    free(own.path);
    free(own.problem);
    free(helper.path);
    free(helper.problem);
    return session_write(arguments, &text, error);
}

const struct command command_self_check = {
    .name = "self-check",
    .summary = "whether gpuenv's own files are intact, and what this kernel lacks",
    .usage = "gpuenv self-check [OPTION...]",
    .details =
        "Compares the files gpuenv and gpuenv-install with the checksums that the build appended "
        "to them, says whether both are from the same build, and lists the features of newer "
        "kernels that gpuenv can use but this kernel lacks. The checksum detects a damaged copy. "
        "The checksum does not protect against someone who changes the file on purpose. Exits with "
        "1 when a file is damaged or from a different build, with 3 when gpuenv cannot tell.",
    .examples = "gpuenv self-check",
    .options = options,
    .run = run,
};
