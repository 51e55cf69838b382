/* SPDX-License-Identifier: MIT */
/* nth-call [--list FILE] [--durable] [--at N[,N…] (--errno NAME | --kill | --run COMMAND)] [--]
 * PROGRAM… README.md beside this file says what it does. */
#include "nth_call.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((format(printf, 1, 2), noreturn)) static void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("nth-call: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(EXIT_FAULT);
}

static int error_number_of(const char *name)
{
    for (int number = 1; number < 134; number++) {
        const char *known = strerrorname_np(number);
        if (known && strcmp(known, name) == 0)
            return number;
    }
    die("%s is not the name of an errno", name);
}

/* Adds the numbers of "N,N…". */
static void take_numbers(const char *text, struct wish *wish)
{
    for (;;) {
        char *end;
        errno = 0;
        unsigned long number = strtoul(text, &end, 10);
        if (end == text || *text < '0' || *text > '9' || number == 0 || errno != 0 ||
            (*end != ',' && *end != 0))
            die("--at %s: not a number from 1 on", text);
        wish->at = realloc(wish->at, (wish->at_count + 1) * sizeof(*wish->at));
        if (wish->at == NULL)
            die("out of memory");
        wish->at[wish->at_count++] = number;
        if (*end == 0)
            return;
        text = end + 1;
    }
}

static void take_action(enum action action, struct wish *wish)
{
    if (wish->action != ACTION_NONE)
        die("--errno, --kill, --run: one of them");
    wish->action = action;
}

/* Returns where PROGRAM stands. */
static int take_options(int count, char **words, struct wish *wish)
{
    static const struct option options[] = {
        {"list", required_argument, NULL, 'l'},
        {"durable", no_argument, NULL, 'd'},
        {"at", required_argument, NULL, 'a'},
        {"errno", required_argument, NULL, 'e'},
        {"kill", no_argument, NULL, 'k'},
        {"run", required_argument, NULL, 'r'},
        {NULL, 0, NULL, 0},
    };
    int option;
    while ((option = getopt_long(count, words, "+", options, NULL)) != -1) {
        if (option == 'l') {
            wish->list = optarg;
        } else if (option == 'd') {
            wish->only_durable = true;
        } else if (option == 'a') {
            take_numbers(optarg, wish);
        } else if (option == 'e') {
            take_action(ACTION_ERRNO, wish);
            wish->error_number = error_number_of(optarg);
        } else if (option == 'k') {
            take_action(ACTION_KILL, wish);
        } else if (option == 'r') {
            take_action(ACTION_RUN, wish);
            wish->command = optarg;
        } else {
            exit(EXIT_FAULT);
        }
    }
    if ((wish->action == ACTION_NONE) != (wish->at_count == 0))
        die("--at and one of --errno, --kill, --run belong together");
    if (optind == count)
        die("no program");
    return optind;
}

/* The filter is in force before the tracer is there: until then no counted call may be made, which
 * the kernel would refuse. */
__attribute__((noreturn)) static void be_program(char **words, int go, bool only_durable)
{
    char byte;
    if (!calls_filter(only_durable)) {
        fprintf(stderr, "nth-call: no seccomp filter: %s\n", strerror(errno));
        _exit(EXIT_FAULT);
    }
    if (read(go, &byte, 1) == 1)
        execvp(words[0], words);
    fprintf(stderr, "nth-call: cannot run %s: %s\n", words[0], strerror(errno));
    _exit(EXIT_FAULT);
}

int main(int count, char **words)
{
    struct wish wish = {.list = NULL};
    int go[2], at = take_options(count, words, &wish);
    const unsigned options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                             PTRACE_O_TRACEVFORKDONE | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
                             PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
    if (pipe2(go, O_CLOEXEC) != 0)
        die("no pipe: %s", strerror(errno));
    pid_t first = fork();
    if (first < 0)
        die("no process: %s", strerror(errno));
    if (first == 0)
        be_program(words + at, go[0], wish.only_durable);
    if (ptrace(PTRACE_SEIZE, first, 0, options) != 0) {
        int number = errno;
        kill(first, SIGKILL);
        die("may not trace: %s", strerror(number));
    }
    if (write(go[1], "", 1) != 1)
        die("no pipe: %s", strerror(errno));
    close(go[0]);
    close(go[1]);
    int status = trace_run(first, &wish);
    free(wish.at);
    return status;
}
