/* SPDX-License-Identifier: MIT */
#include "install/install.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/build.h"
#include "base/exit.h"
#include "host/local/terminal.h"
#include "host/root/bytes.h"
#include "host/root/input.h"
#include "install/io/fd.h"
#include "install/io/interrupt.h"
#include "install/io/libraries.h"
#include "install/report.h"
#include "install/run_request.h"

/* Words for a person on stderr, and the exit code of the error. */
static int refuse(const struct error *error)
{
    AUTO_TEXT struct text text = {0};
    if (error->what == NULL)
        return (int)exit_code_of(error->kind);
    error_print(error, "gpuenv", isatty(STDERR_FILENO) ? terminal_width(STDERR_FILENO) : 0, &text);
    fputs(text_string(&text), stderr);
    return (int)exit_code_of(error->kind);
}

static int print(const struct text *text)
{
    if (bytes_write(STDOUT_FILENO, text_string(text), text->size))
        return EXIT_DONE;
    if (errno == EPIPE) /* whoever read it has gone on purpose */
        return EXIT_CANNOT_WRITE;
    fprintf(stderr, "gpuenv: cannot write the output: %s\n", strerror(errno));
    return EXIT_CANNOT_WRITE;
}

static int print_versions(void)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    text_append(&text, "gpuenv-install " GPUENV_VERSION "\n");
    if (build_commit())
        text_printf(&text, "commit %s\n", build_commit());
    libraries_append_versions(install_libraries, &text);
    int exit_code = print(&text);
    return libraries_check(install_libraries, &error) ? exit_code : refuse(&error);
}

/* libcrypto reads the one as soon as it is used, the C library the other for any date. */
static bool check_environment(struct error *error)
{
    return input_variable_is_safe("OPENSSL_CONF", error) && input_variable_is_safe("TZ", error);
}

static bool take_request(const char *number, struct request *request, struct error *error)
{
    unsigned long long fd;
    AUTO_TEXT struct text text = {0};
    if (!string_to_decimal(number, 1024, &fd)) {
        error_set(error, ERROR_USAGE, "--request takes the number of a descriptor");
        return error_next(error, "gpuenv runs this program itself: try gpuenv --help");
    }
    AUTO_CLOSE int request_fd = (int)fd;
    if (!fd_read_all(request_fd, REQUEST_MAX, "the request", &text, error))
        return false;
    return request_parse(text_string(&text), text.size, request, error);
}

/* What a run holds open at a time is bounded; less ends it in the middle, where nothing could be
 * put away any more. */
#define DESCRIPTORS_MIN 64

static bool has_descriptors(struct error *error)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return true;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max >= DESCRIPTORS_MIN)
        return true;
    error_set(error, ERROR_CANNOT_WRITE,
              "this process may open only %llu files at the same time, which is too few",
              (unsigned long long)limit.rlim_max);
    return error_next(error, "raise the limit to %d or more: ulimit -n", DESCRIPTORS_MIN);
}

static int run(const char *number)
{
    AUTO_ERROR struct error error = {0};
    AUTO_REQUEST struct request request = {.prefix = NULL};
    AUTO_TEXT struct text output = {0};
    int exit_code = EXIT_DONE;
    signal(SIGCHLD, SIG_DFL); /* ignored, a child's number could be another's before it is asked */
    signal(SIGXFSZ, SIG_IGN); /* write(2) fails instead */
    mode_t mask = umask(022); /* public modes in a prefix, whatever the caller's mask is */
    if (!has_descriptors(&error) || !libraries_check(install_libraries, &error) ||
        !check_environment(&error) || !take_request(number, &request, &error) ||
        !report_check(&request, &error))
        return refuse(&error);
    if (!run_request(&request, &output, &exit_code, &error)) {
        int refused = refuse(&error);
        if (error.kind != ERROR_INTERRUPTED)
            return refused;
        interrupt_end(exit_code - 128);
        return exit_code;
    }
    umask(mask);
    return report_write(&request, &output, &error) ? exit_code : refuse(&error);
}

static int print_help(void)
{
    AUTO_TEXT struct text text = {0};
    text_append(&text, "gpuenv-install is a part of gpuenv, which runs it for install, uninstall,\n"
                       "verify and similar commands. It takes --version and --help.\n"
                       "For everything else: gpuenv --help\n");
    return print(&text);
}

int install_main(int argc, char **argv)
{
    AUTO_ERROR struct error error = {0};
    if (argc == 2 && string_equal(argv[1], "--version"))
        return print_versions();
    if (argc == 2 && (string_equal(argv[1], "--help") || string_equal(argv[1], "-h")))
        return print_help();
    if (argc == 3 && string_equal(argv[1], "--request"))
        return run(argv[2]);
    error_set(&error, ERROR_USAGE, "%s", argc < 2 ? "no command given" : "unknown word");
    if (argc > 1)
        error_where(&error, "%s", argv[argc - 1]);
    error_next(&error, "gpuenv runs this program itself: try gpuenv --help");
    return refuse(&error);
}
