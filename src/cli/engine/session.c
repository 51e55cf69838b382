/* SPDX-License-Identifier: MIT */
#include "cli/engine/session.h"

#include <unistd.h>

#include "cli/engine/kept.h"
#include "cli/engine/output.h"
#include "host/local/local.h"
#include "host/local/terminal.h"
#include "manifest/manifest.h"
#include "manifest/reader/problems.h"

#define COLUMNS             80
#define TIMEOUT_SECONDS     "10"
#define TIMEOUT_SECONDS_MAX 86400

const struct option option_root = {.name = "root",
                                   .argument = "DIR",
                                   .help = "look at the system installed in DIR instead of the "
                                           "running one; gpuenv runs nothing from that system"};
const struct option option_facts = {
    .name = "facts",
    .argument = "FILE",
    .once = true,
    .help = "read the facts from a record made with \"gpuenv facts --json\"; with --root, only the "
            "facts that a directory tree cannot hold"};
const struct option option_manifest = {
    .name = "manifest",
    .argument = "FILE",
    .help = "use this compatibility manifest instead of the built-in one"};
const struct option option_assume_driver = {
    .name = "assume-driver",
    .argument = "VERSION",
    .help =
        "check as if this driver were installed: 570.86.15, or 570 for the newest in that branch"};
const struct option option_assume_gpu = {
    .name = "assume-gpu",
    .argument = "GPU",
    .repeatable = true,
    .help = "check as if this GPU were present: a model (H100), a PCI id (10de:2330) or a compute "
            "capability (9.0, sm_90)"};
const struct option option_format = {
    .name = "format", .argument = "FORMAT", .help = "output format: text or json"};
const struct option option_json = {
    .name = "json", .help = "same as --format json", .sets = "format", .sets_to = "json"};
const struct option option_output = {.name = "output",
                                     .letter = 'o',
                                     .argument = "FILE",
                                     .help = "write to FILE, completely or not at all"};
const struct option option_timeout = {
    .name = "timeout",
    .argument = "SEC",
    .help = "time limit for all probes together, in seconds; " TIMEOUT_SECONDS " by default"};
const struct option option_python = {
    .name = "python",
    .argument = "DIR",
    .repeatable = true,
    .whole = true,
    .help = "also look in this Python environment: a virtual or conda environment, the path of its "
            "python3, or a directory of packages"};
const struct option option_deep = {.name = "deep",
                                   .help = "also run slow checks: run nvcc --version; load cuBLAS, "
                                           "cuFFT and other libraries to get their versions"};
const struct option option_try = {
    .name = "try",
    .help =
        "compute: run a small kernel on each GPU that CUDA lists, check the results, and copy data "
        "between GPUs; briefly takes a few hundred MB of each GPU's memory",
    .no_twin = true};
const struct option option_quiet = {
    .name = "quiet", .letter = 'q', .help = "print less", .sets = "verbosity", .sets_to = "quiet"};
const struct option option_verbose = {.name = "verbose",
                                      .letter = 'v',
                                      .help = "print more",
                                      .sets = "verbosity",
                                      .sets_to = "verbose"};
const struct option option_no_color = {.name = "no-color",
                                       .help = "no colours on a terminal; NO_COLOR does the same"};
const struct option option_help = {
    .name = "help", .letter = 'h', .help = "print this help", .no_twin = true};

/* Whether the locale, by the variables that decide it, is a UTF-8 one. */
static bool locale_is_utf8(const struct host *live)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *value = host_environment(live, names[i]);
        if (value && value[0])
            return string_contains_nocase(value, "utf-8") || string_contains_nocase(value, "utf8");
    }
    return false;
}

static bool wants_colour(const struct session *session, const struct arguments *arguments)
{
    const char *no_color = host_environment(session->live, "NO_COLOR");
    const char *terminal = host_environment(session->live, "TERM");
    if (arguments_have(arguments, "no-color") || arguments_have(arguments, "output") ||
        (no_color && no_color[0]))
        return false;
    return terminal && !string_equal(terminal, "dumb") && locale_is_utf8(session->live) &&
           isatty(STDOUT_FILENO);
}

static unsigned columns_of(const struct arguments *arguments)
{
    return arguments_have(arguments, "output") ? COLUMNS : terminal_width(STDOUT_FILENO);
}

void session_input(const struct session *session, const struct arguments *arguments,
                   struct report_input *ret_input)
{
    const char *root = arguments_get(arguments, "root");
    const char *verbosity = arguments_get(arguments, "verbosity");
    *ret_input = (struct report_input){
        .tool_version = GPUENV_VERSION,
        .manifest_version = manifest_version(session->manifest),
        .manifest_date = manifest_date(session->manifest),
        .manifest_origin = session->origin,
        .manifest_path = session->manifest_path,
        .root = root ? root : "/",
        .record = arguments_get(arguments, "facts"),
        .colour = wants_colour(session, arguments),
        .quiet = string_equal(verbosity, "quiet"),
        .verbose = string_equal(verbosity, "verbose"),
        .columns = columns_of(arguments),
    };
}

const char *session_format(const struct arguments *arguments)
{
    const char *format = arguments_get(arguments, "format");
    return format ? format : "text";
}

bool session_check_format(const struct session *session, const struct arguments *arguments,
                          struct error *error)
{
    const char *format = session_format(arguments);
    if (string_equal(format, "text") || string_equal(format, "json"))
        return true;
    return usage_error(error, session->program, NULL, NULL,
                       "%s: unknown format \"%s\"; the formats are: text, json",
                       arguments_origin(arguments, "format"), format);
}

void session_use_kept(struct session *session, bool is_quiet)
{
    AUTO_KEPT struct kept kept = {.manifest = NULL};
    AUTO_TEXT struct text notes = {0};
    kept_read(session->live, session->manifest, &kept, &notes);
    if (!is_quiet && notes.size > 0)
        output_stderr(&notes);
    if (kept.manifest == NULL)
        return;
    manifest_free(session->manifest);
    session->manifest = mem_steal(&kept.manifest);
    session->manifest_path = mem_steal(&kept.path);
    session->manifest_text = kept.text;
    session->origin = ORIGIN_UPDATED;
    kept.text = (struct text){.data = NULL};
}

bool session_load_manifest(struct session *session, const struct arguments *arguments,
                           struct error *error)
{
    const char *path = arguments_get(arguments, "manifest");
    struct text *text = &session->manifest_text;
    struct manifest *manifest = NULL;
    if (session->origin != ORIGIN_BUILT_IN) /* loaded before */
        return true;
    if (path == NULL) {
        session_use_kept(session, string_equal(arguments_get(arguments, "verbosity"), "quiet"));
        return true;
    }
    if (local_read(path, MANIFEST_MAX, text, error))
        manifest = manifest_load(text_string(text), text->size, path, error);
    if (manifest == NULL) {
        if (error->next == NULL)
            error_next(error, "without --manifest, the built-in manifest is used");
        return error_prefix(error, "cannot use the manifest");
    }
    manifest_free(session->manifest);
    session->manifest = manifest;
    session->manifest_path = mem_string(path);
    session->origin = ORIGIN_FILE;
    return true;
}

bool session_manifest_sound(const struct session *session, struct error *error)
{
    const struct error *problem = manifest_problem(session->manifest);
    if (problem == NULL)
        return true;
    bool is_built_in = session->origin == ORIGIN_BUILT_IN;
    error_set(error, problem->kind, "the %s manifest is damaged: %s",
              is_built_in ? "built-in" : "updated", problem->what);
    if (problem->where)
        error_where(error, "%s", problem->where);
    if (problem->why)
        error_why(error, "%s", problem->why);
    return error_next(error, is_built_in
                                 ? "this copy of gpuenv is damaged: install it again"
                                 : "run \"gpuenv manifest update\" again, or remove this file");
}

bool session_timeout(const struct session *session, const struct arguments *arguments,
                     unsigned *ret_timeout_ms, struct error *error)
{
    const char *given = arguments_get(arguments, "timeout");
    unsigned long long seconds;
    if (!string_to_decimal(given ? given : TIMEOUT_SECONDS, TIMEOUT_SECONDS_MAX, &seconds) ||
        seconds == 0)
        return usage_error(error, session->program, NULL, NULL,
                           "%s: \"%s\" is not a number of seconds from 1 to %d",
                           arguments_origin(arguments, "timeout"), given, TIMEOUT_SECONDS_MAX);
    *ret_timeout_ms = (unsigned)seconds * 1000;
    return true;
}

bool session_no_words(const struct session *session, const struct arguments *arguments,
                      struct error *error)
{
    if (arguments->words.count == 0)
        return true;
    return usage_error(error, session->program, NULL, NULL, "takes no argument, got \"%s\"",
                       arguments->words.items[0]);
}

static bool advise(struct error *error)
{
    if (error->next == NULL)
        error_next(error, "give -o a file in a writable directory");
    return false;
}

bool session_can_write(const struct arguments *arguments, struct error *error)
{
    const char *path = arguments_get(arguments, "output");
    return path == NULL || local_can_write(path, error) || advise(error);
}

bool session_write(const struct arguments *arguments, const struct text *text, struct error *error)
{
    const char *path = arguments_get(arguments, "output");
    if (path == NULL)
        return output_stdout(text, error);
    return local_write(path, text_string(text), text->size, error) || advise(error);
}
