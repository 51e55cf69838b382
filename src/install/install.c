/* SPDX-License-Identifier: MIT */
#include "install/install.h"

#include <stdio.h>

#include "base/exit.h"
#include "install/libraries.h"

/* Words for a person on stderr, and the exit code of the error. */
static int refuse(const struct error *error)
{
    AUTO_TEXT struct text text = {0};
    error_format(error, &text);
    fprintf(stderr, "gpuenv-install: %s\n", text_string(&text));
    return (int)exit_code_of(error->kind);
}

static int print(const struct text *text)
{
    if (fputs(text_string(text), stdout) != EOF && fflush(stdout) == 0)
        return EXIT_DONE;
    fputs("gpuenv-install: cannot write the output\n", stderr);
    return EXIT_CANNOT_WRITE;
}

int install_main(int argc, char **argv)
{
    AUTO_ERROR struct error error = {0};
    bool version = argc > 1 && string_equal(argv[1], "--version");
    const char *unknown = argc < 2 ? NULL : argv[version ? 2 : 1];
    if (argc < 2 || unknown) {
        error_set(&error, ERROR_USAGE, "%s", unknown ? "unknown word" : "no command given");
        if (unknown)
            error_where(&error, "%s", unknown);
        error_next(&error, "gpuenv runs this program itself: try gpuenv --help");
        return refuse(&error);
    }
    AUTO_TEXT struct text text = {0};
    text_append(&text, "gpuenv-install " GPUENV_VERSION "\n");
    libraries_append_versions(install_libraries, &text);
    int exit_code = print(&text);
    return libraries_check(install_libraries, &error) ? exit_code : refuse(&error);
}
