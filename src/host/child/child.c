/* SPDX-License-Identifier: MIT */
#include "host/child/child.h"

#include <poll.h>
#include <sys/wait.h>

#include "base/strlist.h"
#include "host/child/child_process.h"
#include "host/root/clock.h"

/* How long a killed child may take to go before it is left behind. */
#define GO_AWAY_MS 1000

/* What the pipe of an ended child may still hold: its capacity, unless root raised that. */
#define LEFTOVER_MAX ((size_t)1 << 20)

static size_t read_pipe(int *pipe, struct text *text)
{
    char buffer[16384];
    size_t size = child_read(pipe, buffer, sizeof(buffer));
    size_t room = CHILD_OUTPUT_MAX - text->size;
    text_append_n(text, buffer, size < room ? size : room);
    return size;
}

static void read_leftover(int *pipe, struct text *text)
{
    size_t total = 0;
    size_t count = read_pipe(pipe, text);
    while (count > 0 && total < LEFTOVER_MAX) {
        total += count;
        count = read_pipe(pipe, text);
    }
}

/* Takes what the child says until it ends or the deadline comes. True when it ended. */
static bool watch_child(struct child_process *child, uint64_t deadline, struct child_result *result)
{
    for (;;) {
        struct pollfd fds[] = {
            {.fd = child->output, .events = POLLIN},
            {.fd = child->errors, .events = POLLIN},
            {.fd = child->pidfd, .events = POLLIN},
        };
        poll(fds, sizeof(fds) / sizeof(fds[0]), child_process_wait_ms(child, deadline));
        if (child_process_ended(child))
            return true;
        read_pipe(&child->output, &result->output);
        read_pipe(&child->errors, &result->errors);
        if (clock_ms() >= deadline)
            return false;
    }
}

static char *describe_timeout(unsigned timeout_ms)
{
    if (timeout_ms % 1000 == 0)
        return mem_printf("no answer in %u s", timeout_ms / 1000);
    return mem_printf("no answer in %u ms", timeout_ms);
}

static void describe_end(int wait_status, struct child_result *result)
{
    if (WIFEXITED(wait_status)) {
        result->exited = true;
        result->exit_code = WEXITSTATUS(wait_status);
        return;
    }
    AUTO_FREE char *name = child_signal_name(WTERMSIG(wait_status));
    result->reason = mem_printf("killed by %s", name);
}

/* The group is killed in any case: a program that is done may have left others behind. That comes
 * before the leader is reaped, while its number cannot be anyone else's. */
static void end_child(struct child_process *child, bool ended, unsigned timeout_ms,
                      struct child_result *result)
{
    int wait_status = 0;
    child_process_kill(child);
    read_leftover(&child->output, &result->output);
    read_leftover(&child->errors, &result->errors);
    bool gone = child_process_reap(child, GO_AWAY_MS, &wait_status);
    if (ended && gone) {
        describe_end(wait_status, result);
        return;
    }
    AUTO_FREE char *timeout = describe_timeout(timeout_ms);
    result->reason = gone ? mem_steal(&timeout)
                          : mem_printf("%s; killed, but still in the kernel (state D), pid %ld",
                                       timeout, (long)child->pid);
}

static bool run_child(const char *const argv[], const struct strlist *variables,
                      unsigned timeout_ms, struct child_result *ret_result, struct error *error)
{
    struct child_process child;
    uint64_t deadline = clock_ms() + timeout_ms;
    if (!child_process_start(argv, variables->items, &child, error))
        return false;
    struct child_result result = {0};
    bool ended = watch_child(&child, deadline, &result);
    end_child(&child, ended, timeout_ms, &result);
    int number = child_process_failure(&child);
    child_process_close(&child);
    if (number != 0) {
        child_result_free(&result);
        return error_set_errno(error, ERROR_NO_INPUT, number, argv[0], "cannot run");
    }
    *ret_result = result;
    return true;
}

static bool run_with(const struct host *host, const char *const argv[],
                     const struct strlist *variables, unsigned timeout_ms,
                     struct child_result *ret_result, struct error *error)
{
    if (!host_is_live(host))
        return error_set(error, ERROR_INTERNAL, "gpuenv runs nothing from a tree: %s", argv[0]);
    if (argv[0][0] != '/')
        return error_set(error, ERROR_INTERNAL, "not an absolute path: %s", argv[0]);
    struct sigaction before;
    child_signal_take(&before);
    bool started = run_child(argv, variables, timeout_ms, ret_result, error);
    child_signal_restore(&before);
    return started;
}

bool child_run(const struct host *host, const char *const argv[], unsigned timeout_ms,
               struct child_result *ret_result, struct error *error)
{
    AUTO_STRLIST struct strlist variables = {0};
    child_environment(host, &variables);
    return run_with(host, argv, &variables, timeout_ms, ret_result, error);
}

bool child_run_clean(const struct host *host, const char *const argv[], unsigned timeout_ms,
                     struct child_result *ret_result, struct error *error)
{
    AUTO_STRLIST struct strlist variables = {0};
    child_environment_fixed(&variables);
    return run_with(host, argv, &variables, timeout_ms, ret_result, error);
}

char *child_result_problem(const struct child_result *result)
{
    if (!result->exited)
        return mem_string(result->reason);
    return result->exit_code != 0 ? mem_printf("exit code %d", result->exit_code) : NULL;
}

void child_result_free(struct child_result *result)
{
    text_free(&result->output);
    text_free(&result->errors);
    free(result->reason);
    *result = (struct child_result){0};
}
