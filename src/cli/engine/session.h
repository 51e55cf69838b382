/* SPDX-License-Identifier: MIT */
#ifndef CLI_ENGINE_SESSION_H
#define CLI_ENGINE_SESSION_H

#include <stdbool.h>

#include "base/exit.h"
#include "base/strlist.h"
#include "base/text.h"
#include "cli/engine/options.h"
#include "host/local/become.h"
#include "host/root/host.h"
#include "report/engine/report.h"

struct error;
struct manifest;

/* What one call of gpuenv has at hand. */
struct session {
    const struct host *live;      /* the machine gpuenv runs on */
    const char *program;          /* "gpuenv doctor": how errors name it */
    struct manifest *manifest;    /* the embedded one, --manifest FILE, or the updated one */
    struct text manifest_text;    /* of --manifest FILE, or the updated one */
    char *manifest_path;          /* where it is; NULL: embedded */
    enum report_origin origin;    /* which one it is */
    struct strlist then;          /* what is left to be done after an install, one sentence each */
    struct strlist then_commands; /* the command of each; "": it has none */
    struct installer_lock *lock;  /* of --lock FILE; NULL: not asked for */
    struct inherited inherited;   /* for a command that gpuenv becomes */
};

/* Options that several commands have. */
extern const struct option option_root, option_facts, option_manifest, option_assume_driver,
    option_assume_gpu, option_format, option_json, option_output, option_timeout, option_deep,
    option_try, option_python, option_quiet, option_verbose, option_no_color, option_help;

/* Fills the parts of input that the command line and the manifest decide: names and versions,
 * quiet, verbose, colour, columns. */
void session_input(const struct session *session, const struct arguments *arguments,
                   struct report_input *ret_input);

/* --format or --json, "text" when neither is given. */
const char *session_format(const struct arguments *arguments);

/* Fails with a usage error when that is neither text nor json. */
bool session_check_format(const struct session *session, const struct arguments *arguments,
                          struct error *error);

/* Replaces session->manifest by --manifest FILE where that is given, else by one that `gpuenv
 * manifest update` keeps and that is newer. What is wrong with the kept one is said on stderr. */
bool session_load_manifest(struct session *session, const struct arguments *arguments,
                           struct error *error);

/* The same without options. */
void session_use_kept(struct session *session, bool is_quiet);

/* False, ERROR_INTERNAL, when a built-in subject that was asked for does not parse: it answered
 * nothing, and nothing is not an answer. */
bool session_manifest_sound(const struct session *session, struct error *error);

/* --timeout in milliseconds. */
bool session_timeout(const struct session *session, const struct arguments *arguments,
                     unsigned *ret_timeout_ms, struct error *error);

/* Fails with a usage error when there are words the command does not take. */
bool session_no_words(const struct session *session, const struct arguments *arguments,
                      struct error *error);

/* Before something is changed that the text is to tell of: false, with the error of
 * session_write(), where -o FILE plainly cannot be written. */
bool session_can_write(const struct arguments *arguments, struct error *error);

/* Writes the finished text to -o FILE, else to stdout, at once. */
bool session_write(const struct arguments *arguments, const struct text *text, struct error *error);

#endif
