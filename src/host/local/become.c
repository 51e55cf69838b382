/* SPDX-License-Identifier: MIT */
#include "host/local/become.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOT_RUN   126
#define NOT_FOUND 127

static bool ignores(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

struct inherited inherited_take(void)
{
    return (struct inherited){.ignores_pipe = ignores(SIGPIPE), .ignores_size = ignores(SIGXFSZ)};
}

void become_set(const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0)
        mem_exhausted();
}

bool become(char *const argv[], const struct inherited *inherited, int *ret_exit_code,
            struct error *error)
{
    signal(SIGPIPE, inherited->ignores_pipe ? SIG_IGN : SIG_DFL);
    signal(SIGXFSZ, inherited->ignores_size ? SIG_IGN : SIG_DFL);
    execvp(argv[0], argv); /* execve(2) on each file of that name in PATH; a script without "#!" by
                              /bin/sh */
    int number = errno;
    bool absent = number == ENOENT || number == ENOTDIR;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    *ret_exit_code = absent ? NOT_FOUND : NOT_RUN;
    error_set_errno(error, ERROR_NO_INPUT, number, argv[0], "cannot run the command");
    if (absent && strchr(argv[0], '/') == NULL)
        return error_why(error, "no directory in PATH contains this command");
    return false;
}
